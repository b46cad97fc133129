import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readPublicRecord } from '../../people/public-record.ts';
import { createWorld, type Donor } from '../../people/world.ts';

const FOLDER = 'people/data/public-record';
const record = readPublicRecord(FOLDER);

describe('the public record', () => {
  it('holds former federal judges and members of Congress with their dated roles', () => {
    const roles = record.donors.flatMap(({ work, education, boards }) =>
      [work, education, boards].flat(),
    );
    expect(record.donors.length).toBe(3_751);
    expect(roles.length).toBe(20_976);
    expect(record.description).toMatch(/^3751 real people \([0-9a-f]{8}\)$/);
  });

  it('invents no wealth, no gifts and no addresses of real people', () => {
    for (const donor of record.donors) {
      expect(donor).toMatchObject({
        netWorth: null,
        capacity: { political: null, nonprofit: null },
        addresses: [],
        gifts: [],
        householdId: null,
      });
    }
  });

  it('gives everybody an id of their own that stays the same', () => {
    const ids = record.donors.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{32}$/);
    expect(readPublicRecord(FOLDER).donors.map(({ id }) => id)).toEqual(ids);
  });

  it('tells the whole name, the life dates and the roles of a person', () => {
    const justice = personNamed('Ruth', 'Ginsburg');
    expect(justice.name).toEqual({ first: 'Ruth', middle: 'Bader', last: 'Ginsburg' });
    expect(justice).toMatchObject({ birthYear: 1933, isDeceased: true });
    expect(justice.work[0]).toMatchObject({
      organisationName: 'Supreme Court of the U.S.',
      body: 'court',
      isService: true,
      start: '1993-08-05',
      end: '2020-09-18',
    });
    expect(justice.education.map(({ organisationName }) => organisationName)).toContain(
      'Cornell University',
    );
  });

  it('has dates that are days, and no role that ends before it begins', () => {
    for (const { work, education, boards } of record.donors) {
      for (const { start, end } of [work, education, boards].flat()) {
        expect(start).toMatch(/^\d{4}-\d{2}-\d{2}$/);
        expect(end === null || (/^\d{4}-\d{2}-\d{2}$/.test(end) && end > start)).toBe(true);
      }
    }
  });

  it('names the file and the field of a row that is wrong', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'record-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    await cp(FOLDER, folder, { recursive: true });
    const path = join(folder, 'roles.csv');
    await writeFile(path, (await readFile(path, 'utf8')).replace('1948-02-17', 'long ago'));
    expect(() => readPublicRecord(folder)).toThrow(/roles\.csv cannot be used[\s\S]*start/);
    expect(() => readPublicRecord(join(folder, 'none'))).toThrow(/people\.csv/);
  });
});

describe('a world with real people', () => {
  const world = createWorld({ seed: 3, donors: 40, realPeople: record });
  const invented = createWorld({ seed: 3, donors: 40 });

  it('has them after the invented donors, who stay the same', () => {
    expect(world.donorCount).toBe(40 + record.donors.length);
    for (let n = 0; n < 40; n++) expect(world.donor(n)).toEqual(invented.donor(n));
    expect(world.donor(40)).toEqual(record.donors[0]);
    expect(() => world.donor(world.donorCount)).toThrow(RangeError);
  });

  it('finds the number of an id of either kind', () => {
    expect(world.donorNumber(world.donor(7).id)).toBe(7);
    expect(world.donorNumber(world.donor(1_000).id)).toBe(1_000);
    expect(invented.donorNumber(world.donor(1_000).id)).toBeNull();
    expect(world.donorNumber(createWorld({ seed: 3, donors: 99 }).donor(50).id)).toBeNull();
  });

  it('lists them in the contact list with nothing invented around their names', () => {
    expect(world.crmPerson(20)).toEqual(invented.crmPerson(20));
    expect(world.crmPerson(40 + record.donors.indexOf(personNamed('Ruth', 'Ginsburg')))).toEqual({
      number: 40 + record.donors.indexOf(personNamed('Ruth', 'Ginsburg')),
      firstName: 'Ruth',
      lastName: 'Ginsburg',
      email: null,
      address: null,
      employer: 'Supreme Court of the U.S.',
      jobTitle: 'Associate Justice',
      donorId: personNamed('Ruth', 'Ginsburg').id,
    });
    expect(world.crmPerson(world.donorCount)).toEqual(invented.crmPerson(world.donorCount));
  });

  it('may have no other people', () => {
    const alone = createWorld({ seed: 3, donors: 0, realPeople: record });
    expect(alone.donorCount).toBe(record.donors.length);
    expect(alone.donorNumber(alone.donor(0).id)).toBe(0);
  });
});

function personNamed(first: string, last: string): Donor {
  const [donor] = record.donors.filter(({ name }) => name.first === first && name.last === last);
  if (donor === undefined) throw new Error(`No donor is called ${first} ${last}.`);
  return donor;
}
