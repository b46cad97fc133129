/** Finds payments since a backup in the spending journal. All functions are pure. */
import type { AnsweredLine, IntendedLine, JournaledContact, JournalLine } from './journal-lines.ts';

/** A request that may have cost credits. */
export interface RecalledRequest {
  intended: IntendedLine;
  /** The response, or null if none was recorded. It is then unknown whether the request was charged. */
  answered: AnsweredLine | null;
}

/** A contact of such a request, with the job that its credit started. */
export interface RecalledPayment extends JournaledContact {
  /** The job's ID, or null if it is unknown. */
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

/** Returns which contacts of a submission were, or may have been, paid for. */
export function listPayments({ intended, answered }: RecalledRequest): RecalledPayment[] {
  if (intended.subject.kind !== 'enhancements') return [];
  const jobs = answered?.jobs ?? {};
  // If no more was charged than there are jobs, contacts without a job were not paid for.
  const started = Object.keys(jobs).length + (answered?.erased ?? 0);
  const isWhole = answered !== null && answered.charged <= started;
  return intended.subject.contacts.flatMap((contact) => {
    const jobId = jobs[contact.trackingId] ?? null;
    return jobId === null && isWhole ? [] : [{ ...contact, jobId }];
  });
}

/**
 * Returns the key's enhancements balance that the journal leads to: the last reading before the backup (epoch ms),
 * minus everything that was charged since. A request without a response counts in full. Returns null if there is no
 * such reading because the journal was started later. If the real balance is different, the journal does not contain
 * all spending.
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
  // None of the key's submissions was open while the balance was read.
  return listRequests(lines.slice(at + 1)).reduce(
    (balance, { intended, answered }) =>
      intended.key === key && intended.subject.kind === 'enhancements'
        ? balance - (answered?.charged ?? intended.credits)
        : balance,
    reading.balance,
  );
}

/**
 * Returns the key's enhancements balance before each submission, by submission ID. It is the last reading minus the
 * cost of submissions that were answered in between. Submissions before the first reading are left out.
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

/** Returns the time of the last line (epoch ms), or 0 if there is no line. */
export function lastLineAt(lines: readonly JournalLine[]): number {
  return lines.reduce((last, { at }) => Math.max(last, at), 0);
}
