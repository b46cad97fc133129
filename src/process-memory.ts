/**
 * Keeps the process small on machines with much memory. V8 sizes its heap by the machine's memory, and glibc keeps
 * freed memory. On a large machine, garbage grows to more than a hundred megabytes, which donor-sync does not need. The
 * measurements are in docs/decisions/0004-memory.md.
 */

/** Options for Node. Node's options come before all other options, so that the caller's own options have precedence. */
const NODE_FLAGS = [
  // Limits the young generation. V8's own limit is several times as large.
  '--max-semi-space-size=8',
  // The young generation starts with its full size. If V8 changed the size itself, it would keep more short-lived
  // objects.
  '--min-semi-space-size=8',
  // Collects the old generation for the first time at 48 MB. donor-sync's own data takes half of this, and collecting
  // garbage during the start would free nothing.
  '--initial-old-space-size=48',
  // After that, collects the old generation when it has grown by two fifths since the previous collection.
  '--heap-growing-percent=40',
  // Without this option, each thread that compiles would have a separate heap.
  '--no-concurrent-recompilation',
];

const ENVIRONMENT = {
  // The size from which glibc returns freed memory to the system, which is 1 MiB. By default, glibc increases this
  // limit while it runs.
  MALLOC_TRIM_THRESHOLD_: '1048576',
  // glibc requests 512 KiB more than it needs, because requesting memory page by page costs time in the kernel.
  MALLOC_TOP_PAD_: '524288',
  // All threads use one heap, because one thread allocates nearly everything, and each further heap would keep freed
  // memory.
  MALLOC_ARENA_MAX: '1',
};

/**
 * Replaces this process with a process that has these settings and the same process ID, arguments and streams. Call
 * this function before anything is opened or loaded. Does nothing if the settings already apply. Also does nothing on
 * Windows, and if the parent process uses Node's own channel, because the process cannot be replaced there.
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
    // The process also works without the settings, but needs more memory.
  }
}
