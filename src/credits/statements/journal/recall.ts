/** Reads payments from the journal's lines. All functions are pure. */
import type { AnsweredLine, IntendedLine, JournaledContact, JournalLine } from './journal-lines.ts';

/** A request that may have cost credits. */
export interface RecalledRequest {
  intended: IntendedLine;
  /**
   * The line about the response. The line with the response, or null if no response was recorded. If no response was
   * recorded, nobody knows whether the request was charged.
   */
  answered: AnsweredLine | null;
}

/** A contact of this request, and its job. */
export interface RecalledPayment extends JournaledContact {
  /** The ID of the job, or null if it is unknown. */
  jobId: string | null;
}

/** Returns the requests that may have cost credits, in the order of the file. Leaves out refused requests. */
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

export function listPayments({ intended, answered }: RecalledRequest): RecalledPayment[] {
  if (intended.subject.kind !== 'enhancements') return [];
  const jobs = answered?.jobs ?? {};
  // If the service charged at most as many credits as there are jobs, contacts without a job were not paid for.
  const started = Object.keys(jobs).length + (answered?.erased ?? 0);
  const isWhole = answered !== null && answered.charged <= started;
  return intended.subject.contacts.flatMap((contact) => {
    const jobId = jobs[contact.trackingId] ?? null;
    return jobId === null && isWhole ? [] : [{ ...contact, jobId }];
  });
}

/**
 * Computes the balance of the enhancements bucket from the journal. Subtracts all charges after the last reading before
 * the backup (epoch ms). Requests without a response are subtracted in full. Returns null if the journal was started
 * later. If the real balance differs, the journal is incomplete.
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
  // During the reading, the key had no open submission.
  return listRequests(lines.slice(at + 1)).reduce(
    (balance, { intended, answered }) =>
      intended.key === key && intended.subject.kind === 'enhancements'
        ? balance - (answered?.charged ?? intended.credits)
        : balance,
    reading.balance,
  );
}

/**
 * Returns the balance before each submission, by submission ID. The balance before a submission is the last reading
 * minus later costs. Leaves out submissions before the first reading.
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

export function lastLineAt(lines: readonly JournalLine[]): number {
  return lines.reduce((last, { at }) => Math.max(last, at), 0);
}
