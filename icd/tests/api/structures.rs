//! A list, a tree, a hash table and copies of structs in global memory: one kernel builds them out of pointers, another follows
//! these, in a launch of its own.

use crate::support;
use support::*;

/// So many nodes.
const N: u32 = 64;

const SOURCE: &str = r#"
typedef struct Node {
    uint key;
    global struct Node *left, *right;
    uchar tag;
} Node;
typedef struct {
    global Node *list, *tree;
    global Node *buckets[8];
} Root;

uint hash(uint key) { return (key ^ key >> 3) & 7; }

/* The keys in the order k * 37 % n, each before the head of those that there are. */
kernel void build_list(global Node *nodes, global Root *root, uint n) {
    root->list = 0;
    for (uint k = 0; k < n; ++k) {
        global Node *node = nodes + k * 37 % n;
        node->key = k;
        node->tag = (uchar)(k * 3);
        node->right = root->list;
        node->left = 0;
        if (root->list)
            root->list->left = node;
        root->list = node;
    }
}
kernel void walk_list(global const Root *root, global uint *out) {
    uint i = get_global_id(0), steps = 0;
    global const Node *node = root->list;
    for (; node && steps < i; ++steps)
        node = node->right;
    /* There and back: left is where right came from. */
    uint back = 0;
    for (global const Node *at = node; at && at->left; at = at->left)
        back += at->left->right == at;
    out[i] = node ? node->key * 256 + node->tag + (back << 16) : 7;
}

/* A tree of every key * 11 % 2n, in the order of the nodes. */
kernel void build_tree(global Node *nodes, global Root *root, uint n) {
    root->tree = 0;
    for (uint k = 0; k < n; ++k) {
        global Node *new = &nodes[k];
        new->key = k * 11 % n * 2;
        new->left = new->right = 0;
        new->tag = 1;
        if (!root->tree) {
            root->tree = new;
            continue;
        }
        global Node *at = root->tree;
        for (;;) {
            global Node *next = new->key < at->key ? at->left : at->right;
            if (next == 0)
                break;
            at = next;
        }
        if (new->key < at->key) at->left = new; else at->right = new;
    }
}
/* How deep a key is, or 1000 where it is not; and the sum of all keys up to it, by a walk with a stack of pointers. */
kernel void walk_tree(global const Root *root, global uint *out) {
    uint i = get_global_id(0), depth = 0;
    global const Node *at = root->tree;
    while (at && at->key != i) {
        at = i < at->key ? at->left : at->right;
        depth++;
    }
    out[2 * i] = at ? depth : 1000;
    global const Node *stack[64];
    uint top = 0, sum = 0;
    at = root->tree;
    while (at || top) {
        if (at) {
            stack[top++] = at;
            at = at->left;
        } else {
            at = stack[--top];
            if (at->key > i)
                break;
            sum += at->key;
            at = at->right;
        }
    }
    out[2 * i + 1] = sum;
}

/* Every work-item makes one bucket's chain. */
kernel void build_table(global Node *nodes, global Root *root, uint n) {
    uint bucket = get_global_id(0);
    global Node *global *end = &root->buckets[bucket];
    for (uint k = 0; k < n; ++k) {
        if (hash(k * 5) != bucket)
            continue;
        nodes[k].key = k * 5;
        nodes[k].tag = (uchar)k;
        *end = &nodes[k];
        end = &nodes[k].right;
    }
    *end = 0;
}
kernel void walk_table(global const Root *root, global uint *out) {
    uint i = get_global_id(0), steps = 0;
    global const Node *node = root->buckets[hash(i)];
    for (; node != 0 && node->key != i; node = node->right)
        steps++;
    out[i] = node ? node->tag + steps * 256 : 0xffff;
}

kernel void build_copies(global Node *nodes, global Root *root, uint n) {
    for (uint k = 0; k < n; ++k) {
        nodes[k].key = k * 3;
        nodes[k].right = &nodes[k + 1];
    }
    for (uint b = 0; b < 8; ++b)
        root->buckets[b] = &nodes[b * 5];
    root->list = &nodes[9];
}
/* What is followed was copied byte by byte, or is an integer: an argument's at first, then what is read there. */
kernel void walk_copies(global const Root *root, global uint *out) {
    uint i = get_global_id(0);
    Root own;
    for (uint k = 0; k < sizeof(Root); ++k)
        ((uchar *)&own)[k] = ((global const uchar *)root)[k];
    Node node;
    for (uint k = 0; k < sizeof(Node); ++k)
        ((uchar *)&node)[k] = ((global const uchar *)own.buckets[i & 7])[k];
    uintptr_t at = (uintptr_t)root;
    for (uint k = 0; k < (i & 1); ++k)
        at = *(global const uintptr_t *)at;
    uint listed = i & 1 ? ((global const Node *)at)->key : at == (uintptr_t)root;
    out[i] = node.key + (node.right->key << 8) + (listed << 16);
}
"#;

/// Builds with `items` work-items, walks with others, and gives what the walk wrote.
fn built_and_walked(name: &str, items: usize, walkers: usize, results: usize) -> Option<Vec<u32>> {
    let s = setup()?;
    let program = s.built(SOURCE, "");
    let (nodes, root, out) = (s.buffer(N as usize * 32), s.buffer(128), s.buffer(results * 4));
    let build = kernel(&program, &format!("build_{name}")).expect("a kernel");
    let codes = [set(&build, 0, nodes.0), set(&build, 1, root.0), set(&build, 2, N)];
    assert_eq!(codes, [0; 3]);
    assert_eq!(s.launch(&build, &[items], None), 0);
    let walk = kernel(&program, &format!("walk_{name}")).expect("a kernel");
    assert_eq!([set(&walk, 0, root.0), set(&walk, 1, out.0)], [0; 2]);
    assert_eq!(s.launch(&walk, &[walkers], None), 0);
    Some(s.read(&out, results))
}

#[test]
fn a_list() {
    let Some(out) = built_and_walked("list", 1, 80, 80) else { return };
    let expected = (0..80u32).map(|i| match i < N {
        // The last one put in front comes first.
        true => (N - 1 - i) * 256 + (N - 1 - i) * 3 % 256 + (i << 16),
        false => 7,
    });
    assert_eq!(out, expected.collect::<Vec<u32>>());
}

#[test]
fn a_tree() {
    let Some(out) = built_and_walked("tree", 1, 130, 260) else { return };
    // The same insertions, with indices.
    let keys: Vec<u32> = (0..N).map(|k| k * 11 % N * 2).collect();
    let mut children = vec![[None; 2]; keys.len()];
    let mut depths = vec![0; keys.len()];
    for new in 1..keys.len() {
        let mut at = 0;
        loop {
            depths[new] += 1;
            let side = usize::from(keys[new] >= keys[at]);
            match children[at][side] {
                Some(next) => at = next,
                None => {
                    children[at][side] = Some(new);
                    break;
                }
            }
        }
    }
    let expected = (0..130u32).flat_map(|i| {
        let depth = keys.iter().position(|k| *k == i).map_or(1000, |n| depths[n]);
        [depth, keys.iter().filter(|k| **k <= i).sum()]
    });
    assert_eq!(out, expected.collect::<Vec<u32>>());
}

#[test]
fn a_hash_table() {
    let Some(out) = built_and_walked("table", 8, 330, 330) else { return };
    let hash = |key: u32| (key ^ (key >> 3)) & 7;
    let expected = (0..330u32).map(|i| {
        if i % 5 != 0 || i / 5 >= N {
            return 0xffff;
        }
        let before = (0..i / 5).filter(|k| hash(k * 5) == hash(i)).count() as u32;
        i / 5 + before * 256
    });
    assert_eq!(out, expected.collect::<Vec<u32>>());
}

#[test]
fn copies_of_bytes_and_integers() {
    let Some(out) = built_and_walked("copies", 1, 16, 16) else { return };
    let expected = (0..16u32).map(|i| {
        let bucket = i & 7;
        bucket * 15 + (bucket * 15 + 3) * 256 + (if i & 1 == 1 { 27 } else { 1 } << 16)
    });
    assert_eq!(out, expected.collect::<Vec<u32>>());
}
