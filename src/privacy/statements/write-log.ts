/**
 * What was written into the CRM, noted outside of the database by fingerprints alone: a backup that is restored does not
 * know what was written since it was made, and an erasure has to find it. One file a month next to each log of erasures.
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
  /** The tag of the database that it is about. */
  store: z.string(),
  /** Epoch ms. */
  at: z.int(),
  /** The id of the write. */
  id: z.string(),
  integration: z.string(),
  /** Fingerprint of the contact's id. */
  contact: z.string(),
  /** Field → fingerprint of the value. */
  after: owned,
  /** Fingerprint of the donor that the texts name; the empty string for none. */
  introducer: z.string(),
  introduced: owned.nullable(),
  /** Field → fingerprints of the words of its text that may name people. */
  named: owned.nullable(),
});

/** A write, as far as it has to be known without the database. */
export interface LoggedWrite extends z.infer<typeof lineSchema> {
  after: OwnedValues;
}

export interface WriteLog {
  /**
   * Resolves once the lines are on disk, or could not be written: that stops no run, since it matters only once an older
   * backup is restored. `doctor` checks the same folder.
   */
  append(lines: readonly LoggedWrite[]): Promise<void>;
  /** The lines since a moment (epoch ms), in any order. */
  read(since: number): Promise<LoggedWrite[]>;
  /** The files that writes of this moment (epoch ms) are noted in, without writing to them. */
  examine(at: number): Promise<WriteLogFile[]>;
}

/** A file of the log. */
export interface WriteLogFile {
  path: string;
  /** Why it cannot be written to; null if it can. */
  problem: string | null;
}

/** Writes that began while a backup was made may be missing in it. */
export const BACKUP_TAKES_MS = 3_600_000;

/** For a database in memory. */
export const noWriteLog: WriteLog = {
  append: async () => undefined,
  read: async () => [],
  examine: async () => [],
};

/** Older files go: nobody restores a backup that old, and who does is told what is not known. */
const MONTHS_KEPT = 13;

const FILE_MODE = 0o600;

/** A log next to each of these logs of erasures. */
export function openWriteLog(erasureLogs: readonly string[], log: Pick<Log, 'warn'>): WriteLog {
  return {
    async append(lines) {
      const [first] = lines;
      if (first === undefined) return;
      const text = lines.map((line) => `\n${JSON.stringify(line)}\n`).join('');
      for (const path of erasureLogs) {
        try {
          await appendTo(path, monthOf(first.at), text);
        } catch (error) {
          const file = fileOf(path, monthOf(first.at));
          log.warn({ file, error: messageOf(error) }, 'writes cannot be noted for a restore');
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

/** The month of a moment (epoch ms) in UTC, as `2026-11`; before 1970 for one that is not known. */
function monthOf(at: number): string {
  return new Date(at).toISOString().slice(0, 7);
}

/** A line that a power cut has torn is of a write that did not begin. */
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
