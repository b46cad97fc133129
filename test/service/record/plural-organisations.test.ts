import { expect, it } from 'vitest';
import { openOrganisations } from '../../../service/search/organisations.ts';
import { createSlices } from '../../../service/slices.ts';
import { openImporting } from './importing.ts';

it.each([
  ['United Charities of Reno', 'charities'],
  ['United Charities of Reno', 'charity'],
  ['Charity of Reno', 'charities'],
  ['Twin Cities Opera', 'cities opera'],
  ['Old Churches Fund', 'church'],
  ['Reno Food Bank', 'food banks'],
  ['Laundry Workers', 'laundries'],
])('a search for the people of %s finds them by "%s"', async (name, organization) => {
  const { db, file, import: bring } = openImporting();
  await bring({
    kind: 'csv',
    paths: [file('donors.csv', 'id,first_name,last_name\nD1,Ada,Tarleton\n')],
    roles: file('roles.csv', `donor_id,kind,organization,start\nD1,work,${name},2019-01-01\n`),
  });
  const found = await openOrganisations(db, 1).peopleOf(
    { organization, when: 'ever' },
    createSlices(),
  );
  expect([...found]).toEqual([1]);
});
