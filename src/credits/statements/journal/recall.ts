/** Finds the payments since a backup in the spending journal. All functions are pure. */
import type { AnsweredLine, IntendedLine, JournaledContact, JournalLine } from './journal-lines.ts';

/** A request that may have cost credits. */
export interface RecalledRequest {
  intended: IntendedLine;
  /** Null if no response was recorded, so it is unknown whether the request was charged. */
  answered: AnsweredLine | null;
}

/** A contact of such a request, and the job that its credit started. */
export interface RecalledPayment extends JournaledContact {
  /** Null if the job is unknown. */
  jobId: string | null;
}

/** Returns the requests that were not refused, in the order of the file. */
export function listRequests(lines: readonly JournalLine[]): RecalledRequest[] {
  const ends = new Map<string, AnsweredLine>();
  for (const line of lines) if (line.what === 'answered') ends.set(line.id, line);
  const intents = new Map<string, IntendedLine>();
  for (const line of lines) if (line.what === 'intended') intents.set(line.id, line);
  return [...intents.values()].flatMap((intended) => {
    const answered = ends.get(intended.id) ?? null;
    return answered?.charged === 0 ? [] : [{ intended, answered }];
  });
}

/** Returns the contacts of a submission that were paid for, or may have been. */
export function listPayments({ intended, answered }: RecalledRequest): RecalledPayment[] {
  if (intended.subject.kind !== 'enhancements') return [];
  const jobs = answered?.jobs ?? {};
  // If the charge is not higher than the number of jobs, the contacts without a job were not paid for.
  const started = Object.keys(jobs).length + (answered?.erased ?? 0);
  const isWhole = answered !== null && answered.charged <= started;
  return intended.subject.contacts.flatMap((contact) => {
    const jobId = jobs[contact.trackingId] ?? null;
    return jobId === null && isWhole ? [] : [{ ...contact, jobId }];
  });
}

/**
 * Returns the key's enhancements balance according to the journal: the last reading before the backup (epoch
 * ms), minus everything that was charged since. A request without a response counts in full. Null if there is
 * no such reading because the journal was started later. If the real balance differs, the journal does not
 * contain all spending.
 */
export function expectBalance(
  lines: readonly JournalLine[],
  key: string,
  backupAt: number,
): number | null {
  const at = lines.findLastIndex(
    (line) => line.what === 'balance' && line.key === key && line.at <= backupAt,
  );
  const reading = lines[at];
  if (reading?.what !== 'balance') return null;
  // While the balance was read, none of the key's submissions was open.
  return listRequests(lines.slice(at + 1)).reduce(
    (balance, { intended, answered }) =>
      intended.key === key && intended.subject.kind === 'enhancements'
        ? balance - (answered?.charged ?? intended.credits)
        : balance,
    reading.balance,
  );
}

/**
 * Returns the key's enhancements balance before each submission, by submission ID: the last reading, minus
 * the cost of the submissions that were answered in between. Submissions before the first reading are left
 * out.
 */
export function findBalancesBefore(lines: readonly JournalLine[]): Map<string, number> {
  const balances = new Map<string, number>();
  const keys = new Map<string, string>();
  const before = new Map<string, number>();
  for (const line of lines) {
    if (line.what === 'balance') balances.set(line.key, line.balance);
    else if (line.what === 'answered') {
      const key = keys.get(line.id) ?? '';
      const balance = balances.get(key);
      if (balance !== undefined) balances.set(key, balance - line.charged);
    } else if (line.subject.kind === 'enhancements') {
      keys.set(line.id, line.key);
      const balance = balances.get(line.key);
      if (balance !== undefined) before.set(line.id, balance);
    }
  }
  return before;
}

/** Returns the time of the last line (epoch ms); 0 if there is none. */
export function lastLineAt(lines: readonly JournalLine[]): number {
  return lines.reduce((last, { at }) => Math.max(last, at), 0);
}
