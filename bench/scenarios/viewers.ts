/** Measures how much a sync is slowed down by 200 users who watch its run. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import { atMost, exactly, type Figure, plain, round, type Scenario } from '../figure.ts';
import { PROGRAM } from '../program.ts';
import { DOCUMENTED, withWorkplace } from '../with-workplace.ts';

const CONTACTS = 4_000;
const VIEWERS = 200;

export const viewers: Scenario = {
  name: 'viewers',
  title: `${VIEWERS} viewers of one run of ${CONTACTS} contacts, at the documented limits`,
  async measure() {
    const alone = await measureRun(0);
    const watched = await measureRun(VIEWERS);
    return [
      plain('alone', round(alone.seconds), 's'),
      plain('watched', round(watched.seconds), 's'),
      atMost('watched, times alone', round(watched.seconds / alone.seconds), '', 1.03),
      plain('processor alone', round(alone.processorSeconds), 's'),
      plain('processor watched', round(watched.processorSeconds), 's'),
      atMost(
        "processor for the viewers, as a share of the run's time",
        round((watched.processorSeconds - alone.processorSeconds) / watched.seconds),
        '',
        0.03,
      ),
      plain(
        'of that until its end',
        round((watched.untilEndSeconds - alone.untilEndSeconds) / watched.seconds),
        '',
      ),
      plain('events of a viewer', round(watched.events / VIEWERS), ''),
      plain('bytes of an event', round(watched.bytes / Math.max(1, watched.events)), ''),
      exactly('viewers who saw the end', watched.sawEnd, '', VIEWERS),
    ];
  },
};

interface Measured {
  seconds: number;
  processorSeconds: number;
  /** The time (seconds) until the end of the run. The page that each viewer then loads is not included. */
  untilEndSeconds: number;
  events: number;
  bytes: number;
  sawEnd: number;
}

const readySchema = z.object({ ready: z.literal(true), url: z.string() });
const runSchema = z.object({
  run: z.looseObject({ id: z.string(), startedAt: z.string(), finishedAt: z.string().nullable() }),
});

async function measureRun(count: number): Promise<Measured> {
  let measured: Measured | null = null;
  await withWorkplace(CONTACTS, { ...DOCUMENTED, jobTimeMs: 0 }, async ({ settings }) => {
    measured = await watchRun(settings, count);
    return [] satisfies Figure[];
  });
  if (measured === null) throw new Error('nothing was measured');
  return measured;
}

async function watchRun(settings: string, count: number): Promise<Measured> {
  const token = z
    .looseObject({ token: z.string() })
    .parse(await ask(['tokens', 'create', '--role', 'admin', '--name', 'bench'], settings)).token;
  const serving = spawn(
    process.execPath,
    [PROGRAM, 'serve', '--port', '0', '--json', '--config', settings],
    { stdio: ['ignore', 'pipe', 'ignore'] },
  );
  try {
    const [line] = await once(createInterface(serving.stdout), 'line');
    const { url } = readySchema.parse(JSON.parse(String(line)));
    const headers = { authorization: `Bearer ${token}` };
    const begun = await processorOf(serving.pid);
    const started = await fetch(`${url}/v1/integrations/bench/runs`, { method: 'POST', headers });
    const { id } = runSchema.parse(await started.json()).run;
    const viewers = Array.from({ length: Math.max(1, count) });
    const seen = await Promise.all(viewers.map(() => view(url, id, headers)));
    const untilEndSeconds = (await processorOf(serving.pid)) - begun;
    // Browsers load the page again after the run has ended.
    const pages = viewers.map(async () => (await fetch(`${url}/runs/${id}`, { headers })).text());
    await Promise.all(pages);
    const processorSeconds = (await processorOf(serving.pid)) - begun;
    const { run } = runSchema.parse(
      await (await fetch(`${url}/v1/runs/${id}`, { headers })).json(),
    );
    const seconds = (Date.parse(run.finishedAt ?? '') - Date.parse(run.startedAt)) / 1_000;
    return {
      seconds,
      processorSeconds,
      untilEndSeconds,
      events: seen.reduce((sum, { events }) => sum + events, 0),
      bytes: seen.reduce((sum, { bytes }) => sum + bytes, 0),
      sawEnd: seen.filter(({ sawEnd }) => sawEnd).length,
    };
  } finally {
    const exited = once(serving, 'exit');
    serving.kill('SIGTERM');
    await exited;
  }
}

/** Watches the run as a page does, until the run has ended. */
async function view(url: string, id: string, headers: Record<string, string>) {
  const seen = { events: 0, bytes: 0, sawEnd: false };
  const answer = await fetch(`${url}/v1/runs/${id}/events`, { headers });
  for await (const part of answer.body ?? []) {
    const text = Buffer.from(part).toString();
    seen.bytes += part.length;
    seen.events += text.split('event: ').length - 1;
    seen.sawEnd ||= text.includes('event: ended');
  }
  return seen;
}

const TICKS_A_SECOND = 100;

/** Returns the processor time (seconds) of a process on Linux. */
async function processorOf(pid: number | undefined): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  const [, fields = ''] = stat.split(') ');
  const [user = 0, system = 0] = fields.split(' ').slice(11, 13).map(Number);
  return (user + system) / TICKS_A_SECOND;
}

/** Runs a command with `--json`, and returns the parsed output. */
async function ask(words: string[], settings: string): Promise<unknown> {
  const child = spawn(process.execPath, [PROGRAM, ...words, '--json', '--config', settings], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let answer = '';
  for await (const part of child.stdout) answer += part;
  return JSON.parse(answer);
}
