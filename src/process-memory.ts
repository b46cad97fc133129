/**
 * Keeps the process small on machines with much memory. V8 sizes its heap by the machine's memory, and glibc keeps
 * freed memory. On a large machine, garbage grows to more than a hundred megabytes that this program does not need.
 * Figures: docs/decisions/0004-memory.md.
 */

/** Passed to Node before all other options, so that the caller's own options come later and win. */
const NODE_FLAGS = [
  // Bounds the young generation; V8's own bound is several times as large.
  '--max-semi-space-size=8',
  // As large from the beginning: grown and shrunk as V8 does it, more of what dies soon is moved on.
  '--min-semi-space-size=8',
  // The old generation is collected when it has grown by two fifths since the last time.
  '--heap-growing-percent=40',
  // Each thread that compiles keeps a separate heap.
  '--no-concurrent-recompilation',
];

const ENVIRONMENT = {
  // glibc gives freed memory back from 1 MiB on; left alone it raises that limit as it goes.
  MALLOC_TRIM_THRESHOLD_: '1048576',
  // It takes 512 KiB more than it needs: what is given back and taken again page by page costs the kernel time.
  MALLOC_TOP_PAD_: '524288',
  // One heap for all threads: nearly all is allocated by one, and each further heap keeps what was freed.
  MALLOC_ARENA_MAX: '1',
};

/**
 * Replaces this process with a process that has these settings and the same process ID, arguments and streams. Call it
 * before anything is opened or loaded. Returns if the settings already apply, or if a process cannot be replaced (on
 * Windows, or under a parent that communicates over Node's own channel).
 */
export function keepMemoryFlat(process: NodeJS.Process): void {
  const { argv, argv0, env, execArgv, execPath, execve } = process;
  const isSet = NODE_FLAGS.every((flag) => execArgv.includes(flag));
  const isReplaceable = process.platform !== 'win32' && process.channel === undefined;
  if (isSet || !isReplaceable || !execve) return;
  const args = [argv0, ...NODE_FLAGS, ...execArgv, ...argv.slice(1)];
  try {
    execve(execPath, args, { ...ENVIRONMENT, ...env });
  } catch {
    // It works as it is, only larger.
  }
}
