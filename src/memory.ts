/**
 * Keeps the process small on machines with much memory. V8 sizes its heap by what the machine
 * has: on a large one it lets garbage pile up to a hundred megabytes that this program has no use
 * for. Measured on 20,000 contacts: 327 MB resident without this, 170 MB with it, at the same
 * speed (docs/decisions/0004-memory.md).
 */
import v8 from 'node:v8';

/** The young generation is large enough at this size. */
const YOUNG_GENERATION_BYTES = 2 * 1024 * 1024;

/** The old generation is collected when it has grown by this much since the last time. */
const HEAP_GROWTH_PERCENT = 12;

/** Loading the program would let the young generation grow far beyond its size at one go. */
const LOOK_EVERY_MS = 1;

/** Compiling on other threads keeps a heap of its own for each, about 25 MB together. */
const COMPILE_ON_THE_MAIN_THREAD = '--no-concurrent-recompilation';

/** Called once at start; keeps no process alive. */
export function keepMemoryFlat(): void {
  v8.setFlagsFromString(COMPILE_ON_THE_MAIN_THREAD);
  v8.setFlagsFromString(`--heap-growing-percent=${HEAP_GROWTH_PERCENT}`);
  letYoungGenerationGrow(false);
  const look = setInterval(() => {
    const isLargeEnough = youngGenerationBytes() >= YOUNG_GENERATION_BYTES;
    letYoungGenerationGrow(!isLargeEnough);
    if (isLargeEnough) clearInterval(look);
  }, LOOK_EVERY_MS);
  look.unref();
}

function letYoungGenerationGrow(mayGrow: boolean): void {
  v8.setFlagsFromString(`--semi-space-growth-factor=${mayGrow ? 2 : 1}`);
}

function youngGenerationBytes(): number {
  const spaces = v8.getHeapSpaceStatistics();
  return spaces.find((space) => space.space_name === 'new_space')?.space_size ?? 0;
}
