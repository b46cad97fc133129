/**
 * Finds the start positions of records by ID. The index needs 12 to 24 bytes for each record, whatever its ID looks
 * like. The index stores only a hash of each ID. Two IDs may have the same hash, so the caller reads the records and
 * compares the IDs.
 */
export interface RowIndex {
  add(id: string, offset: number): void;
  /** Returns the positions of all records that may have this ID, in the order in which they were added. */
  offsets(id: string): number[];
}

const FIRST_CAPACITY = 1024;
const FULLEST = 0.8;

/** Creates an empty index. */
export function createRowIndex(): RowIndex {
  let slots = createSlots(FIRST_CAPACITY);
  let count = 0;

  return {
    add(id, offset) {
      count += 1;
      if (count > slots.hashes.length * FULLEST) slots = enlarge(slots);
      put(slots, hashId(id), offset + 1);
    },
    offsets(id) {
      const hash = hashId(id);
      const found: number[] = [];
      for (let at = firstSlot(slots, hash); isTaken(slots, at); at = nextSlot(slots, at)) {
        if (slots.hashes[at] === hash) found.push((slots.places[at] ?? 0) - 1);
      }
      return found.sort((a, b) => a - b);
    },
  };
}

/**
 * A hash table with open addressing. An entry of the table is the record's position plus one, so zero means that the
 * entry is free.
 */
interface Slots {
  hashes: Uint32Array;
  places: Float64Array;
}

function createSlots(capacity: number): Slots {
  return { hashes: new Uint32Array(capacity), places: new Float64Array(capacity) };
}

function enlarge(old: Slots): Slots {
  const slots = createSlots(old.hashes.length * 2);
  for (const [at, place] of old.places.entries()) {
    if (place !== 0) put(slots, old.hashes[at] ?? 0, place);
  }
  return slots;
}

function put(slots: Slots, hash: number, place: number): void {
  let at = firstSlot(slots, hash);
  // The loop always ends, because the hash table is never full.
  while (isTaken(slots, at)) at = nextSlot(slots, at);
  slots.hashes[at] = hash;
  slots.places[at] = place;
}

function isTaken(slots: Slots, at: number): boolean {
  return slots.places[at] !== 0;
}

function firstSlot(slots: Slots, hash: number): number {
  return hash & (slots.hashes.length - 1);
}

function nextSlot(slots: Slots, at: number): number {
  return (at + 1) & (slots.hashes.length - 1);
}

/**
 * Returns the hash of an ID. The function computes FNV-1a over the UTF-16 units, and combines the high bits with the
 * low bits.
 */
function hashId(id: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < id.length; at += 1) {
    hash = Math.imul(hash ^ id.charCodeAt(at), 0x01000193);
  }
  return (hash ^ (hash >>> 15)) >>> 0;
}
