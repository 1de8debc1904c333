//! Bytes of files: little-endian numbers, and strings with their length before them. Program binaries, the disk cache and bundles
//! are made of it.

/// Bytes that are being written.
#[derive(Debug, Default)]
pub struct Writer(pub Vec<u8>);

impl Writer {
    /// A number.
    pub fn u32(&mut self, value: u32) {
        self.0.extend_from_slice(&value.to_le_bytes());
    }
    /// Bytes, their count before them.
    pub fn bytes(&mut self, value: &[u8]) {
        self.0.extend_from_slice(&(value.len() as u64).to_le_bytes());
        self.0.extend_from_slice(value);
    }
    /// Words, their count before them.
    pub fn words(&mut self, value: &[u32]) {
        self.0.extend_from_slice(&(value.len() as u64).to_le_bytes());
        self.0.extend(value.iter().flat_map(|w| w.to_le_bytes()));
    }
}

/// Bytes that are being read. Every method gives `None` when they end too early.
#[derive(Debug)]
pub struct Reader<'a>(pub &'a [u8]);

impl<'a> Reader<'a> {
    /// The next `count` bytes.
    pub fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (head, tail) = self.0.split_at_checked(count)?;
        self.0 = tail;
        Some(head)
    }
    /// A number.
    pub fn u32(&mut self) -> Option<u32> {
        Some(u32::from_le_bytes(self.take(4)?.try_into().ok()?))
    }
    fn length(&mut self) -> Option<usize> {
        usize::try_from(u64::from_le_bytes(self.take(8)?.try_into().ok()?)).ok()
    }
    /// Reads the bytes of [`Writer::bytes`].
    pub fn bytes(&mut self) -> Option<&'a [u8]> {
        let count = self.length()?;
        self.take(count)
    }
    /// The same, as text.
    pub fn string(&mut self) -> Option<String> {
        String::from_utf8(self.bytes()?.to_vec()).ok()
    }
    /// Reads the words of [`Writer::words`].
    pub fn words(&mut self) -> Option<Vec<u32>> {
        let count = self.length()?;
        let bytes = self.take(count.checked_mul(4)?)?;
        Some(bytes.as_chunks::<4>().0.iter().map(|c| u32::from_le_bytes(*c)).collect())
    }
}
