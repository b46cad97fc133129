import { expect, it } from 'vitest';
import { openConnectionEngine } from '../../../service/connections/engine.ts';
import { openRecordedWorld } from '../../../service/record/world.ts';
import { openImporting } from './importing.ts';

const DONORS = `id,first_name,last_name
A,Marguerite,Oldenquist
B,Thaddeus,McAllenby
`;
const ROLES = `donor_id,kind,organization,title,start,end
A,work,Halvorsen Energy,Engineer,2026-08-01,
B,work,Halvorsen Energy,Clerk,2026-09-01,
`;

it('connects imported people up to the day of the last import', async () => {
  const importing = openImporting();
  const [paths, roles] = [
    [importing.file('donors.csv', DONORS)],
    importing.file('roles.csv', ROLES),
  ];
  const connect = async (day: string, source: string) => {
    await importing.import({ kind: 'csv', paths, roles, source, clock: () => Date.parse(day) });
    return openConnectionEngine(importing.db, openRecordedWorld(importing.db)).between(0, 1);
  };
  const first = await connect('2026-11-22', 'board-book');
  expect(first).toMatchObject({
    sourceRelationship: 'works_for',
    snippet: 'Both working at Halvorsen Energy since 2026',
  });
  const later = await connect('2028-11-22', 'another-book');
  expect(later?.snippet).toBe('Both working at Halvorsen Energy since 2026');
  expect(later?.strength).toBeGreaterThan(first?.strength ?? 1);
});
