// All-reduce of the arg max: each GPU sends its best candidate to all GPUs, and each takes the best of all. A
// long column of the winner is broadcast to the others, each of which copies a part.

#define MAX_GPUS 16

// A GPU's best candidate, as sent to the others.
struct Message {
    Pick pick;
    ColumnCodes place;                // the location of its column
};

#define WORDS 24u

// Memory of one GPU that all GPUs write to.
struct Mailbox {
    // By parity of the round, then by GPU. Every word is written and read atomically and has the round
    // number above four bytes of the message, so that no fence is needed.
    u64 messages[2][MAX_GPUS][WORDS];
    u64 parts[MAX_GPUS];           // by GPU, the last round in which it copied its part
    u64 from;                   // the column to broadcast, and its size in bytes: 0 for none
    u64 bytes;
    unsigned winner;            // the GPU of that column
    unsigned left;              // not 0 once the GPU has left: it sends nothing from then on
    unsigned arrived;           // a counter of blocks, 0 before and after
};

struct PeerArgs {
    Mailbox* mailboxes[MAX_GPUS];
    unsigned char* column_buffers[MAX_GPUS]; // on each GPU, room for a long column
    unsigned gpus;             // 0 if nothing is exchanged
    unsigned gpu;              // number of this one
    u64 sequence;               // the number of the round, above all earlier ones
    const unsigned* stop;       // in host memory: not 0 makes waiting kernels leave
    ColumnCodes* places;              // one more than columns, for a column of another GPU
    AnchorSums* anchor;             // set to the best
    Pick* pick;                 // null if the host does not read it
    u64 from;                   // size in bytes from which on a column is broadcast
};

static_assert(sizeof(Message) == 4 * WORDS && sizeof(Mailbox) == 6304 && sizeof(PeerArgs) == 312, "drift");

// Polls of a waiting warp between two reads of the host's stop word, which is slow to read.
#define LOOKS 1024u

#define EVERYONE 0xffffffffu

__device__ __forceinline__ bool raised(const unsigned* stop)
{
    unsigned value;
    asm volatile("ld.relaxed.sys.global.u32 %0, [%1];" : "=r"(value) : "l"(stop) : "memory");
    return value != 0;
}

// Sends a message by a warp: four bytes from each lane.
__device__ __forceinline__ void send(u64* message, const unsigned* words, u64 sequence)
{
    const unsigned lane = threadIdx.x % 32;
    if (lane < WORDS) {
        const u64 word = sequence << 32 | words[lane];
        asm volatile("st.relaxed.sys.global.u64 [%0], %1;" ::"l"(message + lane), "l"(word)
                     : "memory");
    }
}

// Waits with a warp for a message of this round; false if the host raised `stop`.
__device__ __forceinline__ bool receive(const u64* message, unsigned* words, const PeerArgs& peers)
{
    const unsigned lane = threadIdx.x % 32;
    bool here = lane >= WORDS;
    u64 word = 0;
    for (unsigned looks = 1;; looks++) {
        if (!here) {
            asm volatile("ld.relaxed.sys.global.u64 %0, [%1];"
                         : "=l"(word)
                         : "l"(message + lane)
                         : "memory");
            here = word >> 32 == (unsigned)peers.sequence;
        }
        if (__all_sync(EVERYONE, here)) {
            break;
        }
        if (looks % LOOKS == 0 && __any_sync(EVERYONE, raised(peers.stop))) {
            return false;
        }
    }
    if (lane < WORDS) {
        words[lane] = (unsigned)word;
    }
    return true;
}

// Scores, and exchanges the bests by the last block of each GPU. Messages of the round before last are no
// longer read: a GPU that writes new ones has completed the last round, which every GPU entered after it
// had completed the one before.
extern "C" __global__ void __launch_bounds__(256, 2)
    score_all_reduce(const __grid_constant__ ScoreArgs given, BestCandidate* found, unsigned* arrived,
                   const __grid_constant__ PeerArgs peers)
{
    __shared__ Message messages[MAX_GPUS], mine;
    __shared__ bool left;
    BestCandidate best;
    if (!scored(given, found, arrived, best) || peers.gpus == 0) {
        return;
    }
    Mailbox& own = *peers.mailboxes[peers.gpu];
    if (threadIdx.x == 0) {
        // Its results since then are not for an anchor of the others.
        left = own.left != 0;
        ColumnCodes place = {};
        if (best.number != NONE) {
            place = peers.places[best.place];
        }
        mine = {make_pick(given, 0, best), place};
    }
    __syncthreads();
    if (left) {
        return;
    }
    const unsigned half = peers.sequence % 2, warps = blockDim.x / 32;
    if (peers.from != ~0ull) {
        // Makes visible to the others that this GPU has read its column buffer.
        __threadfence_system();
    }
    for (unsigned gpu = threadIdx.x / 32; gpu < peers.gpus; gpu += warps) {
        u64* const message = peers.mailboxes[gpu]->messages[half][peers.gpu];
        send(message, (const unsigned*)&mine, peers.sequence);
    }
    bool stays = true;
    for (unsigned gpu = threadIdx.x / 32; gpu < peers.gpus && stays; gpu += warps) {
        stays = receive(own.messages[half][gpu], (unsigned*)&messages[gpu], peers);
    }
    stays = __syncthreads_and(stays);
    if (threadIdx.x != 0) {
        return;
    }
    if (!stays) {
        own.left = 1;
        return;
    }
    best = {0, NONE, NONE};
    for (unsigned gpu = 0; gpu < peers.gpus; gpu++) {
        const Pick& pick = messages[gpu].pick;
        const BestCandidate of_gpu = {pick.score, pick.number, gpu};
        if (better(of_gpu, best)) {
            best = of_gpu;
        }
    }
    own.bytes = 0;
    if (best.number == NONE) {
        if (peers.pick != nullptr) {
            *peers.pick = mine.pick;
        }
        return;
    }
    const Message& won = messages[best.place];
    if (peers.pick != nullptr) {
        *peers.pick = won.pick;
    }
    ColumnCodes place = won.place;
    AnchorSums next = {won.pick.x, won.pick.xy, place.levels, won.pick.place};
    if (best.place == peers.gpu) {
        given.excluded[next.place] = 1;
        *peers.anchor = next;
        return;
    }
    // Size in memory, in units of sixteen rows.
    const u64 bytes = (u64)(given.rows + 15) / 16 * 2 * place.bits;
    if (place.bits != 0 && place.length == 1 && bytes >= peers.from) {
        own.from = place.address;
        own.bytes = bytes;
        own.winner = best.place;
        place.address = (u64)peers.column_buffers[peers.gpu];
    }
    next.place = given.count;
    *peers.anchor = next;
    peers.places[next.place] = place;
}

// Reads a word with acquire semantics: what its writer wrote before is then visible.
__device__ __forceinline__ u64 seen(const u64* word)
{
    u64 value;
    asm volatile("ld.acquire.sys.global.u64 %0, [%1];" : "=l"(value) : "l"(word) : "memory");
    return value;
}

__device__ __forceinline__ void show(u64* word, u64 value)
{
    __threadfence_system();
    asm volatile("st.release.sys.global.u64 [%0], %1;" ::"l"(word), "l"(value) : "memory");
}

// Waits until the words of all lanes have the number of this round; a lane without a word passes null. False
// if the host raised `stop`. Called by one warp.
__device__ __forceinline__ bool all_tell(const u64* word, const PeerArgs& given)
{
    bool here = word == nullptr;
    for (unsigned looks = 1;; looks++) {
        here = here || seen(word) == given.sequence;
        if (__all_sync(EVERYONE, here)) {
            return true;
        }
        if (looks % LOOKS == 0 && __any_sync(EVERYONE, raised(given.stop))) {
            return false;
        }
    }
}

// Words in flight per thread.
#define AHEAD 4

// Copies this GPU's part of the winner's column to all GPUs except the winner.
template <typename Word>
__device__ __forceinline__ void fetch(const PeerArgs& given, const Word* column, u64 words,
                                      unsigned winner)
{
    const u64 sharers = given.gpus - 1;
    const u64 each = ((words + sharers - 1) / sharers + 15) / 16 * 16;
    const u64 from = min(words, each * (given.gpu - (given.gpu > winner)));
    const u64 to = min(words, from + each), step = stride();
    for (u64 at = from + first(); at < to; at += AHEAD * step) {
        Word word[AHEAD];
#pragma unroll
        for (int k = 0; k < AHEAD; k++) {
            if (at + k * step < to) {
                word[k] = column[at + k * step];
            }
        }
        for (unsigned gpu = 0; gpu < given.gpus; gpu++) {
            Word* const buffer = (Word*)given.column_buffers[gpu];
#pragma unroll
            for (int k = 0; k < AHEAD; k++) {
                if (gpu != winner && at + k * step < to) {
                    buffer[at + k * step] = word[k];
                }
            }
        }
    }
}

// Broadcasts a long column; launched after `score_all_reduce`. Nobody reads the buffers meanwhile: every GPU
// entered the round after it had laid out the previous column.
extern "C" __global__ void __launch_bounds__(512) broadcast_column(const __grid_constant__ PeerArgs given)
{
    if (given.gpus == 0) {
        return;
    }
    Mailbox& own = *given.mailboxes[given.gpu];
    if (own.left != 0 || own.bytes == 0) {
        return;
    }
    const u64 from = own.from, bytes = own.bytes;
    const unsigned winner = own.winner;
    // Columns of 4-bit codes are aligned to 8 bytes only.
    if ((from | bytes) % 16 == 0) {
        fetch(given, (const uint4*)from, bytes / 16, winner);
    } else {
        fetch(given, (const u64*)from, bytes / 8, winner);
    }
    __threadfence_system();
    if (!last_of(gridDim.x, &own.arrived) || threadIdx.x >= 32) {
        return;
    }
    const unsigned lane = threadIdx.x;
    const u64* word = nullptr;
    if (lane < given.gpus && lane != given.gpu && lane != winner) {
        show(&given.mailboxes[lane]->parts[given.gpu], given.sequence);
        word = &own.parts[lane];
    }
    if (!all_tell(word, given) && lane == 0) {
        own.left = 1;
        // The column is incomplete: an empty column is laid out instead.
        given.places[given.anchor->place] = {};
    }
}
