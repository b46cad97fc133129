import { describe, expect, it } from 'vitest';
import { createId } from '../../../service/assemble.ts';
import type { Database } from '../../../service/database.ts';
import { createJobs } from '../../../service/jobs.ts';
import { createLists } from '../../../service/lists/list-store.ts';
import { verify } from '../../../service/operation/file.ts';
import { joinDonors } from '../../../service/record/join.ts';
import { openRecord } from '../../../service/record/store.ts';
import { openRecordedWorld } from '../../../service/record/world.ts';
import { openImporting } from './importing.ts';

const clock = () => Date.parse('2026-11-22T12:00:00Z');

const COLUMNS = 'id,first_name,last_name,birth,street,city,state,postal_code';
const ROLE_COLUMNS = 'donor_id,kind,organization,ein,title,start,end,amount';

/**
 * Adds three lists that all contain the date of birth. The first list also contains the home, and the second list
 * contains the board. A third, much later list contains the home and the board.
 */
async function addedApart(later: string, laterRoles = '') {
  const importing = openImporting();
  let file = 0;
  const list = (source: string, donors: string, roles: string) => {
    file += 1;
    return importing.import({
      ...{ kind: 'csv', source },
      paths: [importing.file(`donors${file}.csv`, `${COLUMNS}\n${donors}\n`)],
      roles: importing.file(`roles${file}.csv`, `${ROLE_COLUMNS}\n${roles}\n`),
    });
  };
  await list('gala', 'G1,Marguerite,Oldenquist,1951-03-09,12 Elm Street,Evanston,IL,60201', '');
  await list(
    'boards',
    'B1,Marguerite,Oldenquist,1951-03-09,,,,',
    'B1,board,Lake View Food Bank,36-4400001,Chair,2019-01-01,,',
  );
  await list('letters', later, laterRoles);
  return importing;
}

const BOTH = [
  'L1,Marguerite,Oldenquist,1951-03-09,12 Elm Street,Evanston,IL,60201',
  'L1,board,Lake View Food Bank,36-4400001,Trustee,2024-01-01,,',
] as const;

const present = (db: Database) => {
  const record = openRecord(db);
  return Array.from({ length: record.count() }, (_, number) => record.donor(number)).filter(
    (donor) => donor !== null && !donor.id.startsWith('vacant'),
  );
};

describe('donors who were added apart', () => {
  it('are joined once a source says what they have in common, and says why', async () => {
    const { db } = await addedApart(...BOTH);
    const before = present(db);
    expect(before).toHaveLength(2);
    const preview = joinDonors(db, { isPreview: true, clock });
    expect(preview).toMatchObject([
      {
        id: before[0]?.id,
        joined: before[1]?.id,
        probability: expect.closeTo(1, 1),
        reasons: expect.arrayContaining([expect.stringContaining('last name is the same')]),
      },
    ]);
    expect(present(db)).toEqual(before);
    expect(joinDonors(db, { isPreview: false, clock })).toEqual(preview);
    expect(present(db)).toMatchObject([
      {
        id: before[0]?.id,
        addresses: [{ street: '12 Elm Street' }],
        boards: [{ title: 'Trustee' }, { title: 'Chair', source: { source: 'boards' } }],
      },
    ]);
    expect(verify(db, clock)).toEqual([]);
    expect(joinDonors(db, { isPreview: false, clock })).toEqual([]);
  });

  it('have one profile under both ids, and jobs, lists and later imports go on with it', async () => {
    const { db, import: bring, file } = await addedApart(...BOTH);
    const [kept, joined] = present(db);
    const jobs = createJobs(db, clock);
    const match = { probability: 1, reasons: [], runnerUp: null };
    const runnerUp = { donorNumber: 1, probability: 0.4, reasons: [] };
    const person = { first: 'Marguerite', last: 'Oldenquist', addresses: [], employers: [] };
    const times = { submittedAtMs: clock(), endsAtMs: clock() };
    jobs.add(
      ['found', 'other'].map((id) => ({ id, team: 'alpha', person, charge: null, ...times })),
    );
    jobs.finish([
      { id: 'found', donorNumber: 1, error: null, match },
      { id: 'other', donorNumber: null, error: null, match: { ...match, runnerUp } },
    ]);
    const lists = createLists(db, clock, createId);
    const list = lists.create('alpha', 'Prospects');
    if (list === undefined) throw new Error('There is a list of this name');
    lists.add(list, [0, 1]);
    joinDonors(db, { isPreview: false, clock });
    const world = openRecordedWorld(db);
    expect([kept, joined].map((donor) => world.donorNumber(donor?.id ?? ''))).toEqual([0, 0]);
    expect(jobs.find('alpha', 'found')?.donorNumber).toBe(0);
    expect(jobs.find('alpha', 'other')?.match?.runnerUp?.donorNumber).toBe(0);
    expect(lists.entries(list, 0, 10).map(({ donorNumber }) => donorNumber)).toEqual([0]);
    const letter = 'B1,Marguerite,Oldenquist,1951-03-09,9 Oak Street,Evanston,IL,60201';
    const paths = [file('more.csv', `${COLUMNS}\n${letter}\n`)];
    expect(await bring({ kind: 'csv', source: 'boards', paths })).toMatchObject({
      ...{ added: 0, changed: 1 },
    });
    expect(openRecord(db).donor(0)?.addresses).toHaveLength(2);
  });

  it('stay apart by a suffix, another day of birth, and side by side on the board of one source', async () => {
    const { db } = await addedApart(
      'L1,Marguerite,Oldenquist,,12 Elm Street,Evanston,IL,60201\nL2,Marguerite,Oldenquist,,,,,',
      'L2,board,Halvorsen Energy,36-4400002,Director,2019-01-01,2020-01-01',
    );
    const before = present(db);
    expect(joinDonors(db, { isPreview: false, clock })).toEqual([]);
    expect(present(db)).toEqual(before);
  });
});
