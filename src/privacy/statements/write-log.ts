/**
 * Records writes into the CRM outside the database, as fingerprints only. A restored backup lacks later writes, but an
 * erasure has to find them. The write log has one file per month next to each erasure log.
 */
import { mkdir, open, readdir, readFile, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { z } from 'zod';
import type { OwnedValues } from '../../contacts/owned-values.ts';
import { messageOf } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import { hasCode } from '../../database/system-error.ts';
import { findWriteProblem } from './find-write-problem.ts';

const owned = z.record(z.string(), z.string());

const lineSchema = z.object({
  /** The tag of the database that wrote the line. */
  store: z.string(),
  /** The time at which the line was written (epoch ms). */
  at: z.int(),
  id: z.string(),
  integration: z.string(),
  /** The fingerprint of the contact's ID. */
  contact: z.string(),
  /** The fingerprint of the written value, by field. */
  after: owned,
  /** The fingerprint of the donor whom the written values name. Empty if the written values name no donor. */
  introducer: z.string(),
  introduced: owned.nullable(),
  /** The fingerprints of the words that may name people, for each field. */
  named: owned.nullable(),
});

/** The data about a write that donor-sync needs even if the database is lost. */
export interface LoggedWrite extends z.infer<typeof lineSchema> {
  after: OwnedValues;
}

export interface WriteLog {
  /**
   * Resolves once the lines are on disk, or once writing them has failed. A failure does not stop a run, because the
   * log is needed only after the restore of an older backup. `doctor` checks the folder of the write log.
   */
  append(lines: readonly LoggedWrite[]): Promise<void>;
  /** Returns the lines since a time (epoch ms), in any order. */
  read(since: number): Promise<LoggedWrite[]>;
  /** Returns the files for writes at this time (epoch ms). The function does not write to these files. */
  examine(at: number): Promise<WriteLogFile[]>;
}

export interface WriteLogFile {
  path: string;
  /** The reason why donor-sync cannot write to the file, or null if it can. */
  problem: string | null;
}

/** The maximum duration of a backup. A backup may lack writes that started while it was being made. */
export const BACKUP_TAKES_MS = 3_600_000;

/** Replaces the write log for a database in memory. */
export const noWriteLog: WriteLog = {
  append: async () => undefined,
  read: async () => [],
  examine: async () => [],
};

/**
 * The number of months for which write log files are kept. Nobody should restore an older backup. If someone does,
 * donor-sync reports which data is unknown.
 */
const MONTHS_KEPT = 13;

const FILE_MODE = 0o600;

export function openWriteLog(erasureLogs: readonly string[], log: Pick<Log, 'warn'>): WriteLog {
  return {
    async append(lines) {
      const [first] = lines;
      if (first === undefined) return;
      const text = toText(lines);
      for (const path of erasureLogs) {
        try {
          await appendTo(path, monthOf(first.at), text);
        } catch (error) {
          const file = fileOf(path, monthOf(first.at));
          log.warn({ file, error: messageOf(error) }, 'writes cannot be recorded for a restore');
        }
      }
    },
    async read(since) {
      const found = new Map<string, LoggedWrite>();
      for (const path of erasureLogs) {
        for (const file of await listFiles(path)) {
          if (file.month < monthOf(since)) continue;
          const text = await readFile(file.path, 'utf8').catch(() => '');
          for (const line of parse(text)) if (line.at >= since) found.set(line.id, line);
        }
      }
      return [...found.values()];
    },
    examine: (at) =>
      Promise.all(
        erasureLogs.map(async (path) => {
          const file = fileOf(path, monthOf(at));
          return { path: file, problem: await findWriteProblem(file) };
        }),
      ),
  };
}

/**
 * Copies one database's lines into a different log, month by month. Lines that the log already has are left out.
 * Resolves with the number of copied lines. Throws the system's error if a file cannot be read or written.
 */
export async function copyWriteLog(
  { from, store }: { from: string; store: string },
  to: string,
): Promise<number> {
  if (from === to) return 0;
  let copied = 0;
  const there = new Map((await listFiles(to)).map(({ month, path }) => [month, path]));
  for (const { month, path } of await listFiles(from)) {
    const target = there.get(month);
    const known = parse(target === undefined ? '' : await readFile(target, 'utf8'));
    const ids = new Set(known.map(({ id }) => id));
    const lines = parse(await readFile(path, 'utf8')).filter(
      (line) => line.store === store && !ids.has(line.id),
    );
    if (lines.length > 0) await appendTo(to, month, toText(lines));
    copied += lines.length;
  }
  return copied;
}

function toText(lines: readonly LoggedWrite[]): string {
  return lines.map((line) => `\n${JSON.stringify(line)}\n`).join('');
}

async function appendTo(path: string, month: string, text: string): Promise<void> {
  const file = fileOf(path, month);
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await using opened = await open(file, 'a', FILE_MODE);
  const { size } = await opened.stat();
  await opened.appendFile(text);
  await opened.datasync();
  if (size === 0) await removeOld(path, month);
}

async function removeOld(path: string, month: string): Promise<void> {
  const [year = 0, ofYear = 1] = month.split('-').map(Number);
  const oldest = monthOf(Date.UTC(year, ofYear - 1 - MONTHS_KEPT, 1));
  for (const file of await listFiles(path)) if (file.month < oldest) await rm(file.path);
}

async function listFiles(path: string): Promise<{ path: string; month: string }[]> {
  const start = `${basename(path)}.writes-`;
  const names = await readdir(dirname(path)).catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return [];
    throw error;
  });
  return names.flatMap((name) => {
    const month = name.slice(start.length);
    if (!name.startsWith(start) || !/^\d{4}-\d{2}$/.test(month)) return [];
    return [{ path: join(dirname(path), name), month }];
  });
}

function fileOf(path: string, month: string): string {
  return `${path}.writes-${month}`;
}

/**
 * Returns the month of a time (epoch ms) in UTC, for example `2026-11`. Returns a month before 1970 if the time is
 * unknown.
 */
function monthOf(at: number): string {
  return new Date(at).toISOString().slice(0, 7);
}

/** Parses the log. Skips a line that a power failure has interrupted, because its write did not start. */
function parse(text: string): LoggedWrite[] {
  return text.split('\n').flatMap((line) => {
    if (line === '') return [];
    try {
      return lineSchema.parse(JSON.parse(line));
    } catch {
      return [];
    }
  });
}
