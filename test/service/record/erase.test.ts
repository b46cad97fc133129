import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { openDatabase } from '../../../service/database.ts';
import { verify } from '../../../service/operation/file.ts';
import {
  allowAgain,
  erasePerson,
  importPeople,
  startService,
} from '../../../service/operation/index.ts';
import { send } from '../../testbed/asking.ts';
import { startRunning } from '../operation/running.ts';
import { form990 } from './form-990-file.ts';
import { openImporting } from './importing.ts';

const clock = () => Date.parse('2026-11-22T12:00:00Z');

const DONORS = `id,first_name,last_name,birth,street,city,state,postal_code
D1,Robert,Oldenquist,1951-03-09,12 Elm Street,Evanston,IL,60201
D2,Thaddeus,McAllenby,1960-01-02,9 Ash Road,Reno,NV,89501
`;
const ROLES = `donor_id,kind,organization,ein,title,start,end,amount
D1,board,Lake View Food Bank,36-4400001,Chair,2019-01-01,,
`;

async function imported() {
  const importing = openImporting();
  const order = {
    kind: 'csv' as const,
    paths: [importing.file('donors.csv', DONORS)],
    roles: importing.file('roles.csv', ROLES),
  };
  await importing.import(order);
  const [robert] = importing.people();
  return { ...importing, order, id: robert?.id ?? '' };
}

describe('a person who was erased', () => {
  it('is not brought back by the same list, by another key, form of the name and source, nor by a return', async () => {
    const { db, id, file, folder, import: bring, order } = await imported();
    erasePerson(db, id, clock);
    const again = await bring({ ...order, date: '2026-11-23' });
    expect(again).toMatchObject({ people: 2, added: 0, blocked: 1 });
    const moved = `id,first_name,last_name,birth,street,city,state,postal_code
X1,Bob,Oldenquist,,12 Elm St,Evanston,IL,60201
X2,Bob,Oldenquist,1951-03-09,,,,
`;
    const other = { kind: 'csv', source: 'gala', paths: [file('gala.csv', moved)] } as const;
    expect(await bring(other)).toMatchObject({ people: 2, added: 0, blocked: 2 });
    const filed = form990({
      form: '990',
      people: [{ name: 'ROBERT OLDENQUIST', title: 'CHAIR' }],
      organisation: 'Lake View Food Bank',
    });
    const returned = await bring({ kind: '990', paths: [file('return.xml', filed)] });
    expect({ folder, ...returned }).toMatchObject({ added: 0, blocked: 1 });
  });

  it('comes back when that is allowed, and a namesake elsewhere comes in at any time', async () => {
    const { db, id, file, import: bring, order, people } = await imported();
    erasePerson(db, id, clock);
    const namesake = `id,first_name,last_name,birth,street,city,state,postal_code
N1,Robert,Oldenquist,1988-07-07,4 Oak Lane,Mobile,AL,36602
`;
    const list = { kind: 'csv', source: 'gala', paths: [file('gala.csv', namesake)] } as const;
    expect(await bring(list)).toMatchObject({ added: 1, blocked: 0 });
    allowAgain(db, id);
    expect(await bring({ ...order, date: '2026-11-23' })).toMatchObject({ added: 1, blocked: 0 });
    expect(people().filter(({ name }) => name.last === 'Oldenquist')).toHaveLength(2);
    expect(verify(db, clock)).toEqual([]);
    expect(() => allowAgain(db, id)).toThrow('already allowed to come back');
    expect(() => erasePerson(db, 'f'.repeat(32), clock)).toThrow('There is no donor');
  });

  it('is in no profile, search, match, explanation, list, network, export, nor in the file', async () => {
    const service = await startRunning(['alpha']);
    const [key = ''] = service.keys;
    const askAt = (baseUrl: string) => (method: string, path: string, body?: unknown) =>
      send(baseUrl + path, method, { body, headers: { 'x-api-key': key } });
    const ask = askAt(service.baseUrl);
    const found = z
      .object({ donors: z.array(z.object({ id: z.string(), name: z.string() })) })
      .parse((await ask('POST', '/search', { query: 'Oldenquist' })).body);
    const ids = found.donors.map(({ id }) => id);
    const id = found.donors.find(({ name }) => name.startsWith('Bertha'))?.id ?? '';
    const text = async (method: string, path: string, body?: unknown) =>
      JSON.stringify((await ask(method, path, body)).body);
    const idIn = (name: string, body: string) =>
      z.record(z.string(), z.unknown()).parse(JSON.parse(body))[name]?.toString() ?? '';
    const list = idIn('list_id', await text('POST', '/lists', { name: 'Prospects' }));
    await ask('POST', `/lists/${list}/donors`, { donor_ids: ids });
    const network = idIn(
      'network_id',
      await text('POST', '/networks', { name: 'Board', color: 'teal' }),
    );
    for (const donor_id of ids) await ask('POST', `/networks/${network}/members`, { donor_id });
    const order = { donor_ids: ids, fields: ['full_name'], format: 'csv' };
    const exported = idIn('export_id', await text('POST', '/exports', order));
    const person = {
      name: { first: 'Bertha', last: 'Oldenquist' },
      employers: ['Lake View Food Bank'],
    };
    const submitted = await ask('POST', '/enhancements', {
      persons: [
        { tracking_id: 'bertha', ...person },
        { tracking_id: 'ada', ...person, name: { first: 'Ada', last: 'Oldenquist' } },
      ],
    });
    const jobs = Object.values(
      z.object({ tracking_id_to_job_id: z.record(z.string(), z.string()) }).parse(submitted.body)
        .tracking_id_to_job_id,
    );
    await ask('GET', `/donors/${id}`);
    await service.close();

    const db = openDatabase(service.file);
    erasePerson(db, id, clock);
    expect(verify(db, clock)).toEqual([]);
    db.close();
    const bytes = readFileSync(service.file).toString('latin1').toLowerCase();
    expect({ hasName: bytes.includes('bertha'), hasId: bytes.includes(id) }).toEqual({
      hasName: false,
      hasId: false,
    });

    const again = await startService({
      ...{ db: service.file, host: '127.0.0.1', port: 0, operatorPort: null, rate: 0, burst: 10 },
      ...{ chargeQueries: false, chargeSingleAdd: false, clock: Date.now },
      report: (error) => service.errors.push(error),
    });
    const later = askAt(again.baseUrl);
    const seen = [];
    for (const [method, path, body] of [
      ['GET', `/lists/${list}/donors`],
      ['POST', '/search', { query: 'Oldenquist' }],
      ['POST', '/search', { filters: { ties: [{ relationship: 'sits_on_board_of' }] } }],
      ['POST', '/networks/discover', { network_ids: [network] }],
      ['POST', '/networks/lookup', { donor_id: ids.find((one) => one !== id) }],
      ['POST', '/enhancements/results/batch', { job_ids: jobs }],
      ['GET', `/exports/${exported}`],
      ...jobs.map((job) => ['GET', `/enhancements/${job}/explanation`] as const),
    ] as const) {
      const answer = await later(method, path, body);
      seen.push(`${method} ${path} ${answer.status} ${JSON.stringify(answer.body)}`);
    }
    expect(seen.filter((line) => /bertha|vacant/i.test(line) || line.includes(id))).toEqual([]);
    expect(seen.find((line) => line.startsWith('GET /exports'))).toContain(' 404 ');
    for (const gone of [id, 'vacant-1']) {
      expect((await later('GET', `/donors/${gone}`)).status).toBe(404);
    }
    const job = await later('GET', `/enhancements/${jobs[0]}/explanation`);
    expect(job.body).toMatchObject({ donor_id: null, match: null });
    await again.close();
    expect(service.errors).toEqual([]);
  });

  it('is left out without a word of them where the import is killed or repeated', async () => {
    const { db, id, import: bring, order } = await imported();
    erasePerson(db, id, clock);
    const known = await importPeople(db, {
      ...order,
      ...{ source: 'board-book', date: '2026-11-22', confidence: 0.8, clock },
    });
    expect(known).toMatchObject({ known: 1, people: 0 });
    expect(await bring({ ...order, date: '2026-11-24' })).toMatchObject({ blocked: 1, added: 0 });
  });
});
