/**
 * Measures how much an uploaded file that is slow to process slows down other requests, compared with an ordinary file
 * of equal size.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { z } from 'zod';
import { atMost, exactly, type Figure, plain, quantile, round, type Scenario } from '../figure.ts';
import { PROGRAM } from '../program.ts';
import { UNLIMITED, withWorkplace } from '../with-workplace.ts';

const MEGABYTES = 4;
const BYTES = MEGABYTES * 1_024 * 1_024;
/** The number of users who upload files at one time. */
const SENDERS = 3;
const PHASE_SECONDS = 10;
/**
 * The number of pairs of phases. The scenario alternates slow files and ordinary files, so a slow minute of the machine
 * affects both kinds.
 */
const ROUNDS = 4;
const HEALTH_EVERY_MS = 10;
/**
 * The interval (ms) between two uploads. The interval is fixed, so slow files and ordinary files send equally many
 * bytes.
 */
const PACE_MS = 300;

export const uploads: Scenario = {
  name: 'uploads',
  title: `healthz while ${SENDERS} browsers drop files of ${MEGABYTES} MB: hostile ones, and ordinary ones`,
  measure: () => withWorkplace(10, UNLIMITED, async ({ settings }) => measure(settings)),
};

/** An ordinary file with a list of donors. */
const ORDINARY = filled(
  'Donor ID,First Name,Last Name,Street,City,Employer\n',
  '4711,Ada,Vale,"12 Elm St, Apt 4",Springfield,Acme Inc.\n',
);

/**
 * Files of equal size. One part of each file is slow to process, such as the header, a quote, a line, the encoding or
 * the workbook.
 */
const HOSTILE: readonly Buffer[] = [
  filled('Id,First,Last,', '(', '\n1,Ada,Vale,x\n'),
  filled('Id,First,Last,', '\u00e4(\u00df)', '\n1,Ada,Vale,x\n'),
  filled('Id,First,Last', ',Column', '\n1,Ada,Vale\n'),
  filled('Id,First,Last\n', '"'),
  filled('Id,First,Last\n1,"', '""', ''),
  filled('Id,First,Last\n', ',,,,,,,,'),
  filled('Id,First,Last\n', '\r'),
  filled('Id;First,Last\tName|', ';,\t|', '\n1;2;3\n'),
  filled('', ' '),
  Buffer.concat([Buffer.from([0xff, 0xfe]), filled('I\0d\0,\0', '(\0')]).subarray(0, BYTES),
  Buffer.concat([Buffer.from('PK\x03\x04'), filled('', 'PK\x01\x02')]).subarray(0, BYTES),
];

function filled(start: string, piece: string, end = ''): Buffer {
  const room = BYTES - Buffer.byteLength(start) - Buffer.byteLength(end);
  const pieces = piece.repeat(Math.floor(room / Buffer.byteLength(piece)));
  return Buffer.from(start + pieces + end);
}

interface Phase {
  waits: number[];
  /** The HTTP statuses of the responses to uploads. */
  statuses: number[];
}

const readySchema = z.object({ ready: z.literal(true), url: z.string() });
const tokenSchema = z.looseObject({ token: z.string() });

async function measure(settings: string): Promise<Figure[]> {
  const words = ['tokens', 'create', '--role', 'admin', '--name', 'bench'];
  const { token } = tokenSchema.parse(await ask(words, settings));
  const serving = spawn(
    process.execPath,
    [PROGRAM, 'serve', '--port', '0', '--json', '--config', settings],
    { stdio: ['ignore', 'pipe', 'ignore'] },
  );
  const exited = once(serving, 'exit');
  try {
    const [line] = await once(createInterface(serving.stdout), 'line');
    const { url } = readySchema.parse(JSON.parse(String(line)));
    const headers = { authorization: `Bearer ${token}`, origin: url };
    const paths = await Promise.all(
      Array.from({ length: SENDERS }, (_, at) => begin(url, headers, `Client ${at}`)),
    );
    const total: Record<'ordinary' | 'hostile', Phase> = {
      ordinary: { waits: [], statuses: [] },
      hostile: { waits: [], statuses: [] },
    };
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const [kind, files] of [
        ['ordinary', [ORDINARY]],
        ['hostile', HOSTILE],
      ] as const) {
        const { waits, statuses } = await flood(url, headers, paths, files);
        total[kind].waits.push(...waits);
        total[kind].statuses.push(...statuses);
      }
    }
    return figuresOf(total);
  } finally {
    serving.kill('SIGTERM');
    await exited;
  }
}

function figuresOf({ ordinary, hostile }: Record<'ordinary' | 'hostile', Phase>): Figure[] {
  const [usual, flooded] = [ordinary, hostile].map(({ waits }) => quantile(waits, 0.99));
  const other = [
    ...ordinary.statuses.filter((status) => status !== 303),
    ...hostile.statuses,
  ].filter((status) => status !== 303 && status !== 422);
  return [
    plain('ordinary files', ordinary.statuses.length, ''),
    plain('hostile files', hostile.statuses.length, ''),
    exactly('files with an unexpected response', other.length, '', 0),
    plain('healthz, ordinary files, 99th percentile', usual ?? 0, 'ms'),
    plain('healthz, hostile files, 99th percentile', flooded ?? 0, 'ms'),
    atMost('hostile, times ordinary', round((flooded ?? 0) / (usual ?? 1)), '', 2),
  ];
}

/** Starts a set-up that accepts a file, and returns the path of the set-up's form. */
async function begin(url: string, headers: Record<string, string>, name: string): Promise<string> {
  const body = new URLSearchParams({ name });
  const reply = await fetch(`${url}/setup`, { method: 'POST', redirect: 'manual', headers, body });
  const id = /^\/setup\/([^/]+)\//.exec(reply.headers.get('location') ?? '')?.[1];
  if (id === undefined) throw new Error(`the set-up did not start (status ${reply.status})`);
  return `/setup/${id}/file`;
}

/** Makes each sender upload one file after another, while the scenario requests the health endpoint. */
async function flood(
  url: string,
  headers: Record<string, string>,
  paths: readonly string[],
  files: readonly Buffer[],
): Promise<Phase> {
  const probe = new Worker(new URL('../health-probe.ts', import.meta.url), {
    workerData: { url: `${url}/healthz`, everyMs: HEALTH_EVERY_MS },
  });
  const until = AbortSignal.timeout(PHASE_SECONDS * 1_000);
  const statuses: number[] = [];
  let next = 0;
  const senders = paths.map(async (path) => {
    while (!until.aborted) {
      const sentAt = performance.now();
      const file = files[next++ % files.length] ?? ORDINARY;
      const body = new FormData();
      body.set('file', new File([new Uint8Array(file)], 'donors.csv'));
      statuses.push(await drop(url + path, headers, body));
      await sleep(Math.max(0, sentAt + PACE_MS - performance.now()));
    }
  });
  try {
    await Promise.all(senders);
    const answer = once(probe, 'message');
    probe.postMessage('over');
    const waits = z.array(z.number()).parse((await answer)[0]);
    return { waits, statuses };
  } finally {
    await probe.terminate();
  }
}

/** Uploads a file. Returns the HTTP status, or 0 if there was no response. */
async function drop(url: string, headers: Record<string, string>, body: FormData): Promise<number> {
  try {
    const reply = await fetch(url, { method: 'POST', redirect: 'manual', headers, body });
    await reply.text();
    return reply.status;
  } catch {
    return 0;
  }
}

/** Runs a command with `--json`, and returns the parsed output. */
async function ask(words: string[], settings: string): Promise<unknown> {
  const child = spawn(process.execPath, [PROGRAM, ...words, '--json', '--config', settings], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return JSON.parse(await text(child.stdout));
}
