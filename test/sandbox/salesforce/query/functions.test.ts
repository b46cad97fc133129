import { describe, expect, it } from 'vitest';
import { addField, contactIds, create, query, queryError, startOrg, update } from '../org.ts';

async function startGrouped() {
  const org = await startOrg();
  const groups: [string, string | null, number][] = [
    ['A', 'x', 3],
    ['A', 'y', 2],
    ['B', 'x', 1],
  ];
  for (const [Title, Department, count] of groups) {
    for (let number = 0; number < count; number += 1) {
      await create(org, 'Contact', {
        LastName: `${Title}${number}`,
        Title,
        Department,
        LeadSource: 'Other',
        Birthdate: number === 0 ? '1960-02-29' : '1961-12-31',
      });
    }
  }
  return org;
}

const OURS = "LeadSource = 'Other'";

async function rows(org: Awaited<ReturnType<typeof startOrg>>, soql: string) {
  const { records } = await query(org, soql);
  return records.map(({ attributes: _, ...values }) => values);
}

describe('HAVING', () => {
  it('keeps the groups that meet it', async () => {
    const org = await startGrouped();
    const base = `SELECT Title, COUNT(Id) n FROM Contact WHERE ${OURS} GROUP BY Title`;
    expect(await rows(org, `${base} HAVING COUNT(Id) > 1`)).toEqual([{ Title: 'A', n: 5 }]);
    const both = `${base} HAVING COUNT(Id) < 5 AND Title LIKE 'b%' ORDER BY COUNT(Id) DESC`;
    expect(await rows(org, both)).toEqual([{ Title: 'B', n: 1 }]);
    const ordered = `${base} HAVING COUNT(Id) > 0 ORDER BY COUNT(Id) DESC LIMIT 1`;
    expect(await rows(org, ordered)).toEqual([{ Title: 'A', n: 5 }]);
    const without = 'SELECT COUNT(Id) FROM Contact HAVING COUNT(Id) > 1';
    expect((await queryError(org, without)).errorCode).toBe('MALFORMED_QUERY');
  });
});

describe('GROUP BY ROLLUP and CUBE', () => {
  it('add the sums of sums, with blanks for the groups summed over', async () => {
    const org = await startGrouped();
    const select = 'SELECT Title, Department, COUNT(Id) n, GROUPING(Department) g FROM Contact';
    const rollup = await rows(org, `${select} WHERE ${OURS} GROUP BY ROLLUP(Title, Department)`);
    expect(rollup).toEqual([
      { Title: 'A', Department: 'x', n: 3, g: 0 },
      { Title: 'A', Department: 'y', n: 2, g: 0 },
      { Title: 'B', Department: 'x', n: 1, g: 0 },
      { Title: 'A', Department: null, n: 5, g: 1 },
      { Title: 'B', Department: null, n: 1, g: 1 },
      { Title: null, Department: null, n: 6, g: 1 },
    ]);
    const cube = await rows(org, `${select} WHERE ${OURS} GROUP BY CUBE(Title, Department)`);
    expect(cube).toHaveLength(8);
    expect(cube).toContainEqual({ Title: null, Department: 'x', n: 4, g: 0 });
  });
});

describe('functions of dates', () => {
  it('group, filter and order', async () => {
    const org = await startGrouped();
    const year = 'CALENDAR_YEAR(Birthdate)';
    const grouped = `SELECT ${year} y, COUNT(Id) n FROM Contact WHERE ${OURS} GROUP BY ${year} ORDER BY ${year} DESC`;
    expect(await rows(org, grouped)).toEqual([
      { y: 1961, n: 3 },
      { y: 1960, n: 3 },
    ]);
    const count = async (condition: string) =>
      (await query(org, `SELECT COUNT() FROM Contact WHERE ${OURS} AND ${condition}`)).totalSize;
    expect(await count('CALENDAR_QUARTER(Birthdate) = 4')).toBe(3);
    expect(await count('DAY_IN_YEAR(Birthdate) = 60')).toBe(3);
    // The number 1 is Sunday, and the number 2 is Monday.
    expect(await count('DAY_IN_WEEK(Birthdate) = 2')).toBe(3);
    expect(await count('DAY_IN_WEEK(Birthdate) = 1')).toBe(3);
    expect(await count('WEEK_IN_YEAR(Birthdate) = 53')).toBe(3);
    expect(await count('DAY_ONLY(CreatedDate) = TODAY')).toBe(6);
    expect(await count('HOUR_IN_DAY(convertTimezone(CreatedDate)) < 24')).toBe(6);
    const wrong = 'SELECT Id FROM Contact WHERE CALENDAR_YEAR(Title) = 1';
    expect((await queryError(org, wrong)).errorCode).toBe('INVALID_FIELD');
    const ungrouped = 'SELECT CALENDAR_YEAR(Birthdate) FROM Contact';
    expect((await queryError(org, ungrouped)).errorCode).toBe('MALFORMED_QUERY');
  });
});

describe('FORMAT', () => {
  it('shows values as a user reads them', async () => {
    const org = await startOrg();
    await addField(org, 'Worth__c', { type: 'Currency', precision: 12, scale: 2 });
    const [id = ''] = await contactIds(org, 1);
    await update(org, [{ id, Worth__c: 1_234_567.5, Birthdate: '1960-02-09', Title: null }]);
    const soql = `SELECT FORMAT(Worth__c) w, Worth__c, FORMAT(Birthdate), FORMAT(Title) t FROM Contact WHERE Id = '${id}'`;
    expect(await rows(org, soql)).toEqual([
      { w: '$1,234,567.50', Worth__c: 1_234_567.5, Birthdate: '2/9/1960', t: null },
    ]);
    const time = `SELECT FORMAT(CreatedDate) c FROM Contact WHERE Id = '${id}'`;
    expect(await rows(org, time)).toEqual([
      { c: expect.stringMatching(/^\d{1,2}\/\d{1,2}\/\d{4}, \d{1,2}:\d{2} [AP]M$/) },
    ]);
  });
});

describe('a reference that can lead to several objects', () => {
  it('tells the object by Type and shows the fields of the branch that holds', async () => {
    const org = await startOrg();
    await create(org, 'Lead', { LastName: 'Lead', Company: 'Lead Inc' });
    const typed = "SELECT Owner.Type, Owner.Name FROM Lead WHERE Owner.Type = 'User'";
    expect(await rows(org, typed)).toMatchObject([{ Owner: { Type: 'User', Name: 'Donor Sync' } }]);
    const branches =
      'SELECT TYPEOF Owner WHEN Group THEN Id WHEN User THEN Username, Email ELSE Name END FROM Lead';
    expect(await rows(org, branches)).toMatchObject([
      {
        Owner: { attributes: { type: 'User' }, Username: expect.stringContaining('integration@') },
      },
    ]);
    expect((await queryError(org, 'SELECT Owner.Type FROM Contact')).errorCode).toBe(
      'INVALID_FIELD',
    );
    const wrong = 'SELECT TYPEOF Account WHEN Account THEN Name END FROM Contact';
    expect((await queryError(org, wrong)).errorCode).toBe('MALFORMED_QUERY');
  });
});
