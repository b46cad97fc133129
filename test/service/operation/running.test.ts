import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { openDatabase } from '../../../service/database.ts';
import { importPeople, startService } from '../../../service/operation/index.ts';
import { send } from '../../testbed/asking.ts';
import { form990 } from '../record/form-990-file.ts';
import { PEOPLE, startRunning } from './running.ts';

describe('a service that an operator runs', () => {
  it('answers what is under way when it is stopped, and takes nothing more', async () => {
    const service = await startRunning(['alpha']);
    const { hostname, port, pathname } = new URL(service.baseUrl);
    const body = JSON.stringify({ persons: [{ name: { first: 'Ada', last: 'Oldenquist' } }] });
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    socket.write(
      `POST ${pathname}/enhancements HTTP/1.1\r\nHost: x\r\nx-api-key: ${service.keys[0]}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n`,
    );
    // After this output, the request is in progress.
    const [said] = await once(socket.setEncoding('utf8'), 'data');
    expect(said).toBe('HTTP/1.1 100 Continue\r\n\r\n');
    socket.write(body.slice(0, 10));
    const closed = service.close();
    const another = () =>
      fetch(`${service.baseUrl}/test`).then(
        () => 'taken',
        () => 'refused',
      );
    await expect.poll(another).toBe('refused');
    let answer = '';
    socket.on('data', (text) => {
      answer += text;
    });
    socket.write(body.slice(10));
    await once(socket, 'close');
    await closed;
    expect(answer).toMatch(/^HTTP\/1\.1 202 /);
    expect(answer).toContain('"processed":1');
  });

  it.each([
    ['its own', undefined, (own: string) => new URL(own).origin],
    [
      'that of its proxy',
      'https://donors.riverside.example/',
      () => 'https://donors.riverside.example',
    ],
  ])('names %s address in profiles, searches and connections', async (_, publicUrl, expected) => {
    const service = await startRunning(['alpha'], publicUrl);
    const base = expected(service.baseUrl);
    const headers = { 'x-api-key': service.keys[0] ?? '' };
    const ask = (method: string, path: string, body?: unknown) =>
      send(service.baseUrl + path, method, { body, headers });
    const named = z.object({ id: z.string(), service_url: z.string() });
    const search = await ask('POST', '/search', { query: 'Ada Oldenquist' });
    const [ada] = z.object({ donors: z.array(named) }).parse(search.body).donors;
    const profile = named.parse((await ask('GET', `/donors/${ada?.id}`)).body);
    const looked = await ask('POST', '/networks/lookup', { donor_id: ada?.id });
    const { connections } = z
      .object({ connections: z.array(z.object({ source_donor: named, donor: named })) })
      .parse(looked.body);
    const all = [ada, profile, ...connections.flatMap((one) => [one.source_donor, one.donor])];
    expect(all.map((one) => one?.service_url)).toEqual(
      all.map((one) => `${base}/people/${one?.id}`),
    );
    expect(connections).toHaveLength(PEOPLE.length - 1);
  });

  it('connects the members of networks with people who are imported later', async () => {
    const service = await startRunning(['alpha']);
    const headers = { 'x-api-key': service.keys[0] ?? '' };
    const ask = (baseUrl: string, path: string, body: unknown) =>
      send(baseUrl + path, 'POST', { body, headers });
    const found = z.object({ donors: z.array(z.object({ id: z.string() })) });
    const search = await ask(service.baseUrl, '/search', { query: 'Ada Oldenquist' });
    const [ada] = found.parse(search.body).donors;
    const made = await ask(service.baseUrl, '/networks', { name: 'Board', color: 'teal' });
    const { network_id } = z.object({ network_id: z.string() }).parse(made.body);
    await ask(service.baseUrl, `/networks/${network_id}/members`, { donor_id: ada?.id });
    const names = (body: unknown) =>
      z
        .object({ prospects: z.array(z.object({ donor: z.object({ name: z.string() }) })) })
        .parse(body)
        .prospects.map(({ donor }) => donor.name);
    const before = names((await ask(service.baseUrl, '/networks/discover', {})).body);
    expect(before).toHaveLength(PEOPLE.length - 1);
    await service.close();

    const file = join(dirname(service.file), 'later.xml');
    const people = [
      { name: 'ADA OLDENQUIST', title: 'DIRECTOR' },
      { name: 'FIONA TARLETON', title: 'DIRECTOR' },
    ];
    writeFileSync(file, form990({ form: '990', year: 2025, people }));
    const db = openDatabase(service.file);
    const rest = { roles: null, source: 'csv', date: '2026-11-22', confidence: 1, clock: Date.now };
    await importPeople(db, { kind: '990', paths: [file], ...rest });
    db.close();
    const again = await startService({
      ...{ db: service.file, host: '127.0.0.1', port: 0, operatorPort: null, rate: 0, burst: 10 },
      ...{ chargeQueries: false, chargeSingleAdd: false, clock: Date.now, report: () => {} },
    });
    const after = names((await ask(again.baseUrl, '/networks/discover', {})).body);
    await again.close();
    expect(after).toEqual(expect.arrayContaining([...before, 'Fiona Tarleton']));
  });

  it('brings files of earlier versions up to date, and loses nothing of them', async () => {
    const service = await startRunning(['alpha']);
    await service.close();
    const old = openDatabase(service.file);
    old.exec(`
      drop table schema_steps;
      drop index jobs_by_runner_up;
      alter table jobs drop column match;
      insert into jobs (id, team, submitted_at_ms) values ('a job', 'alpha', 1);
    `);
    old.close();
    const db = openDatabase(service.file);
    expect(db.prepare('select id, match from jobs').all()).toEqual([{ id: 'a job', match: null }]);
    expect(db.prepare('select count(*) from schema_steps').pluck().get()).toBe(13);
    db.close();
  });
});
