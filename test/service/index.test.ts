import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { aDatabaseFile } from '../testbed/a-database-file.ts';
import { control } from '../testbed/asking.ts';
import { ask, enhancementCredits, startPartner, strangers, submit } from './partner.ts';

describe('startPartnerSandbox', () => {
  it('serves at a base URL that ends in a version and partners', async () => {
    const partner = await startPartner();
    expect(partner.baseUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/v1\/partners$/);
    expect(partner.baseUrl.startsWith(partner.rootUrl)).toBe(true);
  });

  it('goes on where it stopped with the same database: key, credits and jobs', async () => {
    const db = await aDatabaseFile();
    const first = await startPartner({ db, credits: 10 });
    const { p0 } = await submit(first, strangers(4));
    await first.close();

    const second = await startPartner({ db, credits: 10 });
    expect(second.apiKey).toBe(first.apiKey);
    expect(await enhancementCredits(second)).toBe(6);
    expect((await ask(second, 'GET', `/enhancements/${p0}/progress`)).status).toBe(200);
  });

  it('refuses a database of other people', async () => {
    const db = await aDatabaseFile();
    await (await startPartner({ db, seed: 1 })).close();
    await expect(startPartner({ db, seed: 2 })).rejects.toThrow(/seed 1 with 50 donors/);
  });

  it('gives the same seed the same first key, and another seed another', async () => {
    const one = await startPartner({ seed: 5 });
    const same = await startPartner({ seed: 5 });
    const other = await startPartner({ seed: 6 });
    expect(same.apiKey).toBe(one.apiKey);
    expect(other.apiKey).not.toBe(one.apiKey);
  });

  it('charges nothing and reports nothing when a caller hangs up in the middle of a request', async () => {
    const reported: Error[] = [];
    const partner = await startPartner({ credits: 3, report: (error) => reported.push(error) });
    const { hostname, port } = new URL(partner.rootUrl);
    const socket = connect(Number(port), hostname);
    socket.end(
      `POST /v1/partners/enhancements HTTP/1.1\r\nhost: x\r\nx-api-key: ${partner.apiKey}\r\n` +
        'content-type: application/json\r\ncontent-length: 99\r\n\r\n{"persons":[',
    );
    await expect
      .poll(async () => (await control(partner, 'GET', '/requests')).body)
      .toMatchObject({ total: 1 });
    expect(await enhancementCredits(partner)).toBe(3);
    expect(reported).toEqual([]);
  });

  it('can be closed twice, and answers no caller afterwards', async () => {
    const partner = await startPartner();
    await partner.close();
    await partner.close();
    await expect(ask(partner, 'GET', '/credits')).rejects.toThrow();
  });
});
