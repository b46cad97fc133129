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

/** One whole process of `donor-sync sync`, from its start to its exit. */
export interface Measurement {
  run: MeasuredRun;
  /** From the process's start to its end. */
  wallSeconds: number;
  /** The run alone, as it reports itself. */
  runSeconds: number;
  /** The most memory that was resident, in megabytes; null where the system does not tell. */
  peakMegabytes: number | null;
}

/** Runs the sync and watches its memory. */
export async function measureSync(settings: string): Promise<Measurement> {
  const startedAt = performance.now();
  const child = spawn(process.execPath, [PROGRAM, 'sync', '--json', '--config', settings], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const peak = watchPeak(child.pid);
  const exited = once(child, 'exit');
  const answer = await text(child.stdout);
  await exited;
  const peakMegabytes = peak.stop();
  const wallSeconds = (performance.now() - startedAt) / 1_000;
  const [run] = answerSchema.parse(JSON.parse(answer)).runs;
  if (!run) throw new Error('The sync reported no run');
  const runSeconds = (Date.parse(run.finishedAt) - Date.parse(run.startedAt)) / 1_000;
  return { run, wallSeconds, runSeconds, peakMegabytes };
}

/** Credits of the enhancements bucket that the run cost. */
export function spent({ run }: Measurement): number {
  return run.credits.enhancements.spent;
}
