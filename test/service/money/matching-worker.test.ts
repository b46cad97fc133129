import Sqlite from 'better-sqlite3';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Database, openDatabase } from '../../../service/database.ts';
import { createJobs, hasEnded, type NewJob, progressOf } from '../../../service/jobs.ts';
import type { Match } from '../../../service/matcher/matcher.ts';
import { startMatchingWorker } from '../../../service/matching-worker.ts';
import { erasePerson, importPeople } from '../../../service/operation/index.ts';
import { openRecord } from '../../../service/record/store.ts';
import { openImporting } from '../record/importing.ts';

const NOW = Date.parse('2026-11-22T12:00:00Z');
const clock = () => NOW;
const FOUND: Match = {
  donorNumber: 3,
  probability: 1,
  cautious: 1,
  reasons: ['Found'],
  runnerUp: null,
  kinds: 1,
  isContradicted: false,
  isJoinable: true,
};

function aDatabase(): Database {
  const db = openDatabase(undefined);
  onTestFinished(() => void db.close());
  return db;
}

function aJob(id: string, team = 'alpha', first = 'Ada'): NewJob {
  const person = { first, last: 'Oldenquist', addresses: [], employers: [] };
  return { id, team, person, charge: null, submittedAtMs: NOW, endsAtMs: NOW };
}

const persons = (db: Database) =>
  db.prepare<[], string>('select person from jobs where person is not null').pluck().all();

describe('the matching of paid jobs', () => {
  it('continues after a restart, and deletes the details of a person that was matched', async () => {
    const db = aDatabase();
    const jobs = createJobs(db, clock);
    jobs.add([aJob('a')]);
    expect(persons(db)).toHaveLength(1);
    const worker = startMatchingWorker({
      ...{ db, jobs, clock, report: () => {} },
      matcher: { matchInSlices: async () => FOUND },
    });
    await worker.catchUp('alpha', ['a']);
    expect(jobs.find('alpha', 'a')).toMatchObject({ donorNumber: 3, isMatched: true });
    expect(persons(db)).toEqual([]);
  });

  it('ends a job whose matching breaks as failed, and continues with the next one', async () => {
    const db = aDatabase();
    const jobs = createJobs(db, clock);
    const errors: Error[] = [];
    jobs.add([aJob('a', 'alpha', 'Broken'), aJob('b')]);
    const worker = startMatchingWorker({
      ...{ db, jobs, clock, report: (error) => errors.push(error) },
      matcher: {
        matchInSlices: async ({ first }) => {
          if (first === 'Broken') throw new Error('It broke');
          return FOUND;
        },
      },
    });
    await worker.catchUp('alpha', ['a', 'b']);
    const [broken, whole] = ['a', 'b'].map((id) => jobs.find('alpha', id));
    expect(broken && progressOf(broken, NOW)).toEqual({ status: 'failed', pct_done: null });
    expect(whole && progressOf(whole, NOW)).toEqual({ status: 'completed', pct_done: null });
    expect(errors).toHaveLength(1);
  });

  it('matches a person later if the file cannot be read for a moment, because the person is paid for', async () => {
    const db = aDatabase();
    const jobs = createJobs(db, clock);
    jobs.add([aJob('a')]);
    const errors: Error[] = [];
    let attempts = 0;
    const worker = startMatchingWorker({
      ...{ db, jobs, clock, report: (error: Error) => errors.push(error) },
      matcher: {
        async matchInSlices() {
          attempts += 1;
          if (attempts === 1) throw new Sqlite.SqliteError('disk I/O error', 'SQLITE_IOERR_READ');
          return FOUND;
        },
      },
    });
    await worker.catchUp('alpha', ['a']);
    expect(jobs.find('alpha', 'a')).toMatchObject({ isMatched: false, error: null });
    await expect
      .poll(() => jobs.find('alpha', 'a'), { timeout: 5_000 })
      .toMatchObject({ isMatched: true, donorNumber: 3, error: null });
    expect(errors.map(({ message }) => message)).toEqual(['disk I/O error']);
  });

  it('serves the teams in turn, however many persons one of them submitted', async () => {
    const db = aDatabase();
    const jobs = createJobs(db, clock);
    const order: string[] = [];
    const large = Array.from({ length: 50 }, (_, index) => aJob(`a${index}`, 'alpha', 'Alpha'));
    jobs.add([...large, aJob('b', 'beta', 'Beta')]);
    const worker = startMatchingWorker({
      ...{ db, jobs, clock, report: () => {} },
      matcher: {
        matchInSlices: async ({ first }) => {
          order.push(first);
          return FOUND;
        },
      },
    });
    await worker.catchUp('beta', ['b']);
    // The service was already matching four people when the other team's request arrived.
    expect(order.indexOf('Beta')).toBeLessThanOrEqual(5);
  });

  it('is not delayed by a clock that is set back', () => {
    const db = aDatabase();
    const jobs = createJobs(db, clock);
    jobs.add([aJob('a')]);
    jobs.finish([{ id: 'a', donorNumber: 3, error: null, match: null }]);
    const job = jobs.find('alpha', 'a');
    expect(job && hasEnded(job, NOW - 3_600_000)).toBe(true);
  });

  it('happens before a person is erased, so that no details of theirs stay in a job', async () => {
    const { db, file } = openImporting();
    const columns = 'id,first_name,last_name,street,city,state,postal_code';
    const row = 'D1,Marguerite,Oldenquist,12 Elm Street,Evanston,IL,60201';
    await importPeople(db, {
      ...{ kind: 'csv', paths: [file('donors.csv', `${columns}\n${row}\n`)], roles: null },
      ...{ source: 'people', date: '2026-11-22', confidence: 1, clock },
    });
    const jobs = createJobs(db, clock);
    const person = {
      ...{ first: 'Marguerite', last: 'Oldenquist', employers: [] },
      addresses: ['12 Elm Street, Evanston, IL 60201'],
    };
    jobs.add([{ ...aJob('a'), person }]);
    erasePerson(db, openRecord(db).donor(0)?.id ?? '', clock);
    expect(persons(db)).toEqual([]);
    expect(jobs.find('alpha', 'a')).toMatchObject({
      donorNumber: null,
      error: 'The person was erased from the service',
    });
  });
});
