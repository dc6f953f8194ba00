//! The best of one, two and three peers on streams of one GPU, and its column brought to the
//! others. By rows of the column.

use passel_kernels::{
    Kernel,
    counting::{AnchorSums, ColumnCodes},
    peer_argmax::{self, Mailbox, PeerArgs},
    score::{self, BestCandidate, Pick, ScoreArgs, ScoreRule},
};

use super::{super::gpu::arguments, DeviceError, KernelCase, TestGpu};

pub(super) struct Case;

const CANDIDATES: usize = 300;

/// One peer: what its kernels take, and its candidates on the host.
struct Peer {
    score: ScoreArgs,
    found: u64,
    arrived: u64,
    pick: u64,
    places: u64,
    buffer: u64,
    codes: Vec<u8>,
    column: u64,
    gathered: Vec<i128>,
    numbers: Vec<u32>,
    sums: Vec<i64>,
}

impl Peer {
    /// Candidates that all have the same column, numbered every `step`-th from `first`.
    fn new(test: &mut TestGpu, n: usize, (first, step): (u32, u32)) -> Result<Self, DeviceError> {
        let numbers = (0..CANDIDATES as u32).map(|at| first + step * at).collect();
        // Equal scores, of one peer and of several.
        let gathered = (0..CANDIDATES).map(|_| test.below(50) as i128 - 60).collect();
        let sums: Vec<i64> = (0..CANDIDATES).map(|_| test.below(1 << 30) as i64).collect();
        let codes = test.bytes(n.next_multiple_of(16), 200);
        let column = test.put(&codes)?;
        let place = ColumnCodes {
            address: column,
            length: 1,
            levels: 200,
            bits: 8,
            ..ColumnCodes::default()
        };
        let mut places = vec![place; CANDIDATES];
        places.push(ColumnCodes::default());
        let peer = Self {
            score: ScoreArgs::default(),
            found: test.put(&vec![0u8; 3 * size_of::<BestCandidate>()])?,
            arrived: test.put(&[0u32])?,
            pick: test.put(&[Pick::default()])?,
            places: test.put(&places)?,
            buffer: test.put(&vec![0u8; codes.len()])?,
            codes,
            column,
            gathered,
            numbers,
            sums,
        };
        let zeros = vec![0i64; CANDIDATES];
        let sums = test.put(&peer.sums)?;
        let score = ScoreArgs {
            // The score is what was gathered.
            rule: ScoreRule {
                join: 1,
                ..ScoreRule::default()
            },
            count: CANDIDATES as u32,
            numbers: test.put(&peer.numbers)?,
            excluded: test.put(&vec![0u8; CANDIDATES])?,
            x: sums,
            xy: sums,
            xw: test.put(&zeros)?,
            xwy: test.put(&zeros)?,
            relevance: sums,
            gathered: test.put(&peer.gathered)?,
            anchors: test.put(&[AnchorSums::default()])?,
            levels: test.put(&vec![200u32; CANDIDATES])?,
            steps_known: 1,
            rows: n as i64,
            ..ScoreArgs::default()
        };
        Ok(Self { score, ..peer })
    }
}

impl KernelCase for Case {
    const KERNELS: &'static [Kernel] = &[peer_argmax::KERNEL];
    const SIZES: &'static [usize] = &[1, 4095, 4096, 4097, 100_000];

    fn check(test: &mut TestGpu, n: usize) -> Result<(), DeviceError> {
        for count in 1..=3 {
            // Another test may load a module meanwhile, which waits for these kernels on a GPU that
            // all peers share, while the launch of the last peer waits for that.
            let is_checked = (0..4).any(|_| check_peers(test, n, count).unwrap());
            assert!(is_checked, "{count} peers never met within 20 s");
        }
        Ok(())
    }
}

/// Launches both functions for each peer, on a stream of its own, so that they wait for one
/// another.
fn launch(test: &TestGpu, peers: &[Peer], args: &PeerArgs, stop: u64) -> Result<(), DeviceError> {
    for (at, peer) in peers.iter().enumerate() {
        let mut args = *args;
        (args.gpu, args.stop) = (at as u32, stop);
        (args.places, args.anchor, args.pick) = (peer.places, peer.score.anchors, peer.pick);
        test.gpu.use_stream(1 + at);
        let (score, found, arrived) = (peer.score, peer.found, peer.arrived);
        let given = arguments![score, found, arrived, args];
        let kernel = &peer_argmax::KERNEL;
        test.launch(kernel, "score_all_reduce", (3, 1), (256, 0), given)?;
        test.launch(kernel, "broadcast_column", (2, 1), (512, 0), arguments![args])?;
    }
    test.gpu.join()
}

/// Checks four rounds; false where the peers of one did not meet in time.
fn check_peers(test: &mut TestGpu, n: usize, count: usize) -> Result<bool, DeviceError> {
    let mut peers = Vec::new();
    for at in 0..count {
        peers.push(Peer::new(test, n, (at as u32, count as u32))?);
    }
    let mut args = PeerArgs {
        gpus: count as u32,
        // Long enough columns are brought.
        from: 2000,
        ..PeerArgs::default()
    };
    let mailbox = vec![0u8; size_of::<Mailbox>()];
    for (at, peer) in peers.iter().enumerate() {
        args.mailboxes[at] = test.put(&mailbox)?;
        args.column_buffers[at] = peer.buffer;
    }
    // Functions are loaded when they are first launched, which must not be while others wait.
    let alone = PeerArgs { gpus: 0, ..args };
    launch(test, &peers, &alone, 0)?;
    let mut excluded = vec![vec![false; CANDIDATES]; count];
    for sequence in 1..=4 {
        let args = PeerArgs { sequence, ..args };
        if !test.with_stop(|stop| launch(test, &peers, &args, stop))? {
            return Ok(false);
        }
        let bests: Vec<Pick> = peers
            .iter()
            .zip(&excluded)
            .map(|(peer, excluded)| {
                let own = peer.gathered.iter().zip(excluded);
                let scores: Vec<_> = own.map(|(score, out)| (!out).then_some(*score)).collect();
                let best = score::best(&scores, &peer.numbers).unwrap();
                Pick {
                    score: peer.gathered[best],
                    redundancy: 0,
                    relevance: peer.sums[best],
                    x: peer.sums[best],
                    xy: peer.sums[best],
                    place: best as u32,
                    number: peer.numbers[best],
                }
            })
            .collect();
        let winner = peer_argmax::reference(&bests).unwrap();
        let won = bests[winner];
        excluded[winner][won.place as usize] = true;
        let bytes = peers[winner].codes.len();
        for (at, peer) in peers.iter().enumerate() {
            assert_eq!(test.get::<Pick>(peer.pick, 1)?, [won], "{count} peers");
            let anchor = AnchorSums {
                w: won.x,
                wy: won.xy,
                levels: 200,
                place: if at == winner { won.place } else { CANDIDATES as u32 },
            };
            assert_eq!(test.get::<AnchorSums>(peer.score.anchors, 1)?, [anchor]);
            let place = test.get::<ColumnCodes>(peer.places, CANDIDATES + 1)?[CANDIDATES];
            if at == winner {
                continue;
            }
            let whole = ColumnCodes {
                length: 1,
                bits: 8,
                ..ColumnCodes::default()
            };
            let is_brought = peer_argmax::bytes(&whole, n) >= Some(2000);
            let expected = if is_brought { peer.buffer } else { peers[winner].column };
            assert_eq!((place.address, place.levels), (expected, 200));
            if is_brought {
                let brought = test.get::<u8>(peer.buffer, bytes)?;
                assert!(brought == peers[winner].codes, "{n} rows, {count} peers");
            }
        }
    }
    Ok(true)
}
