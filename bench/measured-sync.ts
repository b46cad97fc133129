import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { z } from 'zod';
import { watchPeak } from './peak-memory.ts';
import { PROGRAM } from './program.ts';

const answerSchema = z.object({
  runs: z
    .array(
      z.looseObject({
        status: z.string(),
        contacts: z.record(z.string(), z.number()),
        credits: z.object({ enhancements: z.object({ spent: z.number() }) }),
        calls: z.object({ partner: z.number(), crm: z.number(), throttled: z.number() }),
        startedAt: z.string(),
        finishedAt: z.string(),
      }),
    )
    .length(1),
});

export type MeasuredRun = z.infer<typeof answerSchema>['runs'][number];

/** Measures a complete process of `donor-sync sync`, from its start to its exit. */
export interface Measurement {
  run: MeasuredRun;
  /** The duration of the process in seconds. */
  wallSeconds: number;
  /** The duration of the run according to the run's own report. */
  runSeconds: number;
  /** The peak of the process's memory in megabytes, or null if the system does not report it. */
  peakMegabytes: number | null;
  /** The processor time of the whole process in seconds. */
  cpuSeconds: number;
}

/** Code that makes a process print its processor time (µs) in the last line of its stderr. */
const REPORT_CPU =
  'data:text/javascript,process.on("exit",()=>{const{user,system}=process.cpuUsage();process.stderr.write("\\ncpu "+(user+system))})';

/**
 * Runs a sync with this version or another version of the program. Measures memory and processor time. Throws if the
 * run ends with an unexpected status.
 */
export async function measureSync(
  settings: string,
  program = PROGRAM,
  expected = 'succeeded',
): Promise<Measurement> {
  const startedAt = performance.now();
  const words = ['--import', REPORT_CPU, program, 'sync', '--json', '--config', settings];
  const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'pipe'] });
  const peak = watchPeak(child.pid);
  const exited = once(child, 'exit');
  const [answer, said] = await Promise.all([text(child.stdout), text(child.stderr)]);
  await exited;
  const peakMegabytes = peak.stop();
  const wallSeconds = (performance.now() - startedAt) / 1_000;
  const [run] = answerSchema.parse(JSON.parse(answer)).runs;
  if (!run) throw new Error('The sync reported no run');
  // If a run is stopped too early, its speed would look too high.
  if (run.status !== expected) throw new Error(`The sync ended as "${run.status}": ${said}`);
  const runSeconds = (Date.parse(run.finishedAt) - Date.parse(run.startedAt)) / 1_000;
  return { run, wallSeconds, runSeconds, peakMegabytes, cpuSeconds: cpuSecondsIn(said) };
}

/**
 * If a process starts a new process in its place, both processes print a line. The last line contains the time of both
 * processes.
 */
function cpuSecondsIn(said: string): number {
  const microseconds = /\ncpu (\d+)$/.exec(said)?.[1];
  if (microseconds === undefined) throw new Error(`The sync did not end as usual: ${said}`);
  return Number(microseconds) / 1_000_000;
}

/** Returns the number of enhancement credits that a run cost. */
export function spent({ run }: Measurement): number {
  return run.credits.enhancements.spent;
}
