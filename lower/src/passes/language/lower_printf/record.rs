//! The function that writes the record of one printf call. [`crate::printf`] documents the record.

use crate::ir::{
    AtomicOp, BinaryOp, Block, BranchTarget, Function, InstKind, IntCC, MemFlags, Place, Root, Scalar, Scope,
    Semantics, Space, Terminator, Type, Value,
};
use crate::printf::NO_STRING;
use crate::transform::rewriter::Rewriter;
use smallvec::SmallVec;

/// Byte offsets of the header's words.
const LIMIT: i64 = 4;
const LOST: i64 = 8;

/// The flags of accesses of the buffer's words, and of strings' bytes.
const WORD: MemFlags = MemFlags { align: 4, volatile: false };
const BYTE: MemFlags = MemFlags { align: 1, volatile: false };

/// A string that is known only at run time.
struct Chars {
    pointer: Value,
    /// Its length in bytes, or [`NO_STRING`].
    bytes: Value,
    /// The words that it takes in the record.
    words: Value,
}

/// Builds the function. Its parameters are the call's arguments, with pointers for strings. It returns printf's result.
pub(super) fn body(format: u64, types: &[Type], address_bits: u32) -> Function {
    let mut f = Function::new("printf", types, &[Type::I32]);
    f.inline_hint = Some(true);
    let mut at_block = f.entry();
    let params = f.params().to_vec();
    let pointer = Type::Ptr(Space::Global);

    let mut rw = Rewriter::new(&mut f);
    let base = rw.inst(InstKind::RootAddr(Root::Printf), pointer);
    let limit = rw.inst(InstKind::PtrOffset { base, bytes: LIMIT }, pointer);
    let limit = rw.load(Place::Pointer(limit), Type::I32, WORD);
    let mut words = vec![rw.iconst(Type::I32, format)];
    let mut strings: Vec<Chars> = Vec::new();
    for param in params {
        if matches!(rw.f.ty(param), Type::Ptr(_)) {
            let chars;
            (at_block, chars) = measure(&mut rw, at_block, param, limit, address_bits);
            words.push(chars.bytes);
            strings.push(chars);
        } else {
            argument_words(&mut rw, param, &mut words);
        }
    }
    let mut behind = rw.iconst(Type::I32, 0);
    for chars in &strings {
        behind = rw.add(behind, chars.words);
    }
    let fixed = rw.iconst(Type::I32, words.len() as u64);
    let length = rw.add(fixed, behind);
    let at = atomic(&mut rw, AtomicOp::IAdd, base, length);
    let last = rw.add(at, behind);
    let fits = rw.icmp(IntCC::Ult, last, limit);
    rw.finish_block(at_block);

    // The layout lists each block after its predecessors.
    let write = rw.f.new_block();
    let record = rw.inst(InstKind::PtrAdd { base, index: at, scale: 4 }, pointer);
    for (n, word) in words.iter().enumerate() {
        let place = rw.inst(InstKind::PtrOffset { base: record, bytes: 4 * n as i64 }, pointer);
        rw.store(Place::Pointer(place), *word, WORD);
    }
    let mut block = write;
    let mut start = fixed;
    for chars in &strings {
        let next;
        (block, next) = copy(&mut rw, block, chars, record, start);
        start = next;
    }
    rw.finish_block(block);
    let (full, end) = (rw.f.new_block(), rw.f.new_block());
    let status = rw.f.add_param(end, Type::I32);
    let success = rw.iconst(Type::I32, 0);
    rw.f.blocks[at_block].term =
        Terminator::CondBranch { cond: fits, then: to(write, &[]), els: to(full, &[]) };
    rw.f.blocks[block].term = Terminator::Branch(to(end, &[success]));

    let lost = rw.inst(InstKind::PtrOffset { base, bytes: LOST }, pointer);
    let one = rw.iconst(Type::I32, 1);
    atomic(&mut rw, AtomicOp::ISub, base, length);
    atomic(&mut rw, AtomicOp::IAdd, lost, one);
    let failure = rw.iconst(Type::I32, u64::from(u32::MAX));
    rw.finish_block(full);
    rw.f.blocks[full].term = Terminator::Branch(to(end, &[failure]));
    rw.f.blocks[end].term = Terminator::Return(SmallVec::from_slice(&[status]));
    f
}

fn to(block: Block, args: &[Value]) -> BranchTarget {
    BranchTarget { block, args: SmallVec::from_slice(args) }
}

/// Counts the bytes of a string up to its null, with the buffer's size as the limit. Ends `block` and gives the next block.
fn measure(
    rw: &mut Rewriter<'_>,
    block: Block,
    pointer: Value,
    limit: Value,
    address_bits: u32,
) -> (Block, Chars) {
    let (scan, step, done) = (rw.f.new_block(), rw.f.new_block(), rw.f.new_block());
    let (count, bytes) = (rw.f.add_param(scan, Type::I32), rw.f.add_param(done, Type::I32));
    let address = if address_bits == 64 { Type::I64 } else { Type::I32 };
    let integer = rw.inst(InstKind::PtrToInt(pointer), address);
    let null = rw.iconst(address, 0);
    let is_null = rw.icmp(IntCC::Eq, integer, null);
    let max_bytes = rw.binary_const(BinaryOp::Shl, limit, 2);
    let (zero, none) = (rw.iconst(Type::I32, 0), rw.iconst(Type::I32, NO_STRING.into()));
    rw.finish_block(block);
    rw.f.blocks[block].term =
        Terminator::CondBranch { cond: is_null, then: to(done, &[none]), els: to(scan, &[zero]) };

    let byte = load_byte(rw, pointer, count);
    let is_end = rw.icmp(IntCC::Eq, byte, zero);
    let is_long = rw.icmp(IntCC::Uge, count, max_bytes);
    let stops = rw.binary(BinaryOp::Or, is_end, is_long);
    rw.finish_block(scan);
    rw.f.blocks[scan].term =
        Terminator::CondBranch { cond: stops, then: to(done, &[count]), els: to(step, &[]) };

    let one = rw.iconst(Type::I32, 1);
    let next = rw.add(count, one);
    rw.finish_block(step);
    rw.f.blocks[step].term = Terminator::Branch(to(scan, &[next]));

    // The limit keeps the length from wrapping to less than a word.
    let three = rw.iconst(Type::I32, 3);
    let rounded = rw.add(bytes, three);
    let words = rw.binary_const(BinaryOp::LShr, rounded, 2);
    (done, Chars { pointer, bytes, words })
}

/// Copies a string to `start` words after a record's first word. Ends `block`.
/// Gives the next block and the start of the next string.
fn copy(rw: &mut Rewriter<'_>, block: Block, chars: &Chars, record: Value, start: Value) -> (Block, Value) {
    let (head, step, done) = (rw.f.new_block(), rw.f.new_block(), rw.f.new_block());
    let index = rw.f.add_param(head, Type::I32);
    let pointer = Type::Ptr(Space::Global);
    let zero = rw.iconst(Type::I32, 0);
    rw.finish_block(block);
    rw.f.blocks[block].term = Terminator::Branch(to(head, &[zero]));

    let more = rw.icmp(IntCC::Ult, index, chars.words);
    rw.finish_block(head);
    rw.f.blocks[head].term = Terminator::CondBranch { cond: more, then: to(step, &[]), els: to(done, &[]) };

    let first = rw.binary_const(BinaryOp::Shl, index, 2);
    let mut word = zero;
    for n in 0..4 {
        let offset = rw.iconst(Type::I32, n);
        let at = rw.add(first, offset);
        // Bytes behind the null are not read.
        let within = rw.icmp(IntCC::Ult, at, chars.bytes);
        let at = rw.inst(InstKind::Select(within, at, chars.bytes), Type::I32);
        let byte = load_byte(rw, chars.pointer, at);
        let shifted = rw.binary_const(BinaryOp::Shl, byte, 8 * n);
        word = rw.binary(BinaryOp::Or, word, shifted);
    }
    let place = rw.add(start, index);
    let place = rw.inst(InstKind::PtrAdd { base: record, index: place, scale: 4 }, pointer);
    rw.store(Place::Pointer(place), word, WORD);
    let one = rw.iconst(Type::I32, 1);
    let next = rw.add(index, one);
    rw.finish_block(step);
    rw.f.blocks[step].term = Terminator::Branch(to(head, &[next]));
    let following = rw.add(start, chars.words);
    (done, following)
}

/// A byte of a string as a word.
fn load_byte(rw: &mut Rewriter<'_>, pointer: Value, index: Value) -> Value {
    let ty = rw.f.ty(pointer);
    let place = rw.inst(InstKind::PtrAdd { base: pointer, index, scale: 1 }, ty);
    let byte = rw.load(Place::Pointer(place), Type::Scalar(Scalar::I8), BYTE);
    rw.int_cast(byte, Type::I32, false)
}

fn atomic(rw: &mut Rewriter<'_>, op: AtomicOp, pointer: Value, operand: Value) -> Value {
    let operands = [operand][..].into();
    let (scope, semantics) = (Scope::Device, Semantics::empty());
    rw.inst(InstKind::Atomic { op, place: Place::Pointer(pointer), operands, scope, semantics }, Type::I32)
}

/// The words of an argument, lane by lane.
fn argument_words(rw: &mut Rewriter<'_>, value: Value, words: &mut Vec<Value>) {
    for lane in 0..rw.f.ty(value).lanes() {
        let element = rw.extract(value, lane);
        let ty = rw.f.ty(element);
        match ty.scalar().map_or(4, Scalar::bytes) {
            8 => {
                let pair = rw.bitcast(element, Type::Vector(Scalar::I32, 2));
                words.extend([rw.extract(pair, 0), rw.extract(pair, 1)]);
            }
            4 => words.push(rw.bitcast(element, Type::I32)),
            bytes => {
                let int = Type::Scalar(Scalar::int(bytes).unwrap_or(Scalar::I32));
                let int = rw.bitcast(element, int);
                words.push(rw.int_cast(int, Type::I32, false));
            }
        }
    }
}
