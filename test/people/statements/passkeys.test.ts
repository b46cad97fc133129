import { expect, it } from 'vitest';
import {
  addPasskey,
  deletePasskey,
  findPasskeyByCredential,
  hasPasskeys,
  listPasskeys,
  MAX_PASSKEYS,
  recordPasskeyUse,
  spendChallenge,
} from '../../../src/people/statements/passkeys.ts';
import {
  acceptInvitation,
  addInvitedPerson,
  deletePerson,
  findInvitedPerson,
  recordSubject,
} from '../../../src/people/statements/people.ts';
import { addSession, resumeSession } from '../../../src/people/statements/sessions.ts';
import { START_MS, storeWorlds } from '../../database/store-world.ts';
import { describeEachDatabase } from '../../helpers/test-databases.ts';

describeEachDatabase('passkeys', (open) => {
  const createWorld = storeWorlds(open);

  async function withPeople(...ids: string[]) {
    const world = await createWorld();
    for (const id of ids) {
      const rights = { role: 'owner', integrations: null } as const;
      const person = { id, email: `email of ${id}`, sealed: 'sealed', ...rights };
      const link = { hash: `link of ${id}`, until: START_MS + 1_000 };
      await world.store.act((trx) => addInvitedPerson(trx, person, link));
    }
    return world;
  }

  const made = (id: string, credential = `credential of ${id}`) => ({
    ...{ id, credential, publicKey: 'key', counter: 0, transports: ['internal'] },
    ...{ host: 'localhost', sealed: 'name' },
  });

  const removal = (personId: string, id: string) => ({
    ...{ personId, id, alsoLast: false, hasProvider: false, keptSession: null },
  });

  it('are of one person each, and as many as a person has devices', async () => {
    const { store } = await withPeople('anna', 'ben');
    expect(await hasPasskeys(store.reader)).toBe(false);
    expect(await store.act((trx) => addPasskey(trx, 'anna', made('a1')))).toBe('done');
    expect(await hasPasskeys(store.reader)).toBe(true);
    expect(await store.act((trx) => addPasskey(trx, 'ben', made('b1', 'credential of a1')))).toBe(
      'known',
    );
    expect(await store.act((trx) => addPasskey(trx, 'no one', made('n1')))).toBe('unknown_person');
    for (let index = 2; index <= MAX_PASSKEYS; index += 1) {
      expect(await store.act((trx) => addPasskey(trx, 'anna', made(`a${index}`)))).toBe('done');
    }
    expect(await store.act((trx) => addPasskey(trx, 'anna', made('more')))).toBe('too_many');
    expect(await listPasskeys(store.reader, 'anna')).toHaveLength(MAX_PASSKEYS);
    expect(await listPasskeys(store.reader, 'ben')).toEqual([]);
    expect(await findPasskeyByCredential(store.reader, 'credential of a1')).toMatchObject({
      ...{ id: 'a1', personId: 'anna', transports: ['internal'] },
      ...{ createdAt: START_MS, lastUsedAt: null },
    });
  });

  it('are what a person joins with, in the place of a password, and undo it if they are known', async () => {
    const { store } = await withPeople('anna', 'ben');
    expect(
      await store.act((trx) => acceptInvitation(trx, 'link of anna', made('a1'))),
    ).toMatchObject({
      ...{ id: 'anna', password: null, joinedAt: START_MS },
    });
    await expect(
      store.act((trx) => acceptInvitation(trx, 'link of ben', made('b1', 'credential of a1'))),
    ).rejects.toMatchObject({
      code: 'passkey_known',
    });
    expect(await findInvitedPerson(store.reader, 'link of ben')).toMatchObject({
      id: 'ben',
      joinedAt: null,
    });
    expect(await listPasskeys(store.reader, 'ben')).toEqual([]);
  });

  it('go with their person', async () => {
    const { store } = await withPeople('anna', 'ben');
    await store.act((trx) => acceptInvitation(trx, 'link of anna', made('a1')));
    await store.act((trx) => acceptInvitation(trx, 'link of ben', made('b1')));
    expect(await store.act((trx) => deletePerson(trx, 'anna'))).toBe('done');
    expect(await findPasskeyByCredential(store.reader, 'credential of a1')).toBeNull();
    expect(await listPasskeys(store.reader, null)).toMatchObject([{ id: 'b1' }]);
  });

  it('are removed but for the last way in, unless an owner says so, and end other sessions', async () => {
    const { store } = await withPeople('anna');
    await store.act((trx) => acceptInvitation(trx, 'link of anna', made('a1')));
    await store.act((trx) => addPasskey(trx, 'anna', made('a2')));
    for (const id of ['s1', 's2']) {
      await store.act((trx) =>
        addSession(trx, { hash: id, id, browser: null }, { personId: 'anna' }),
      );
    }
    expect(await store.act((trx) => deletePasskey(trx, removal('ben', 'a1')))).toBe('unknown');
    expect(
      await store.act((trx) => deletePasskey(trx, { ...removal('anna', 'a1'), keptSession: 's2' })),
    ).toBe('done');
    expect(await resumeSession(store.connection, 's1')).toBeNull();
    expect(await resumeSession(store.connection, 's2')).not.toBeNull();
    expect(await store.act((trx) => deletePasskey(trx, removal('anna', 'a2')))).toBe('last_way');
    await store.act((trx) => recordSubject(trx, 'anna', 'subject'));
    expect(await store.act((trx) => deletePasskey(trx, removal('anna', 'a2')))).toBe('last_way');
    expect(
      await store.act((trx) => deletePasskey(trx, { ...removal('anna', 'a2'), hasProvider: true })),
    ).toBe('done');
    await store.act((trx) => addPasskey(trx, 'anna', made('a3')));
    expect(
      await store.act((trx) => deletePasskey(trx, { ...removal('anna', 'a3'), alsoLast: true })),
    ).toBe('done');
    expect(await resumeSession(store.connection, 's2')).toBeNull();
  });

  it('leave one behind when the last two are removed at the same time', async () => {
    const { store } = await withPeople('anna');
    await store.act((trx) => acceptInvitation(trx, 'link of anna', made('a1')));
    await store.act((trx) => addPasskey(trx, 'anna', made('a2')));
    const both = await Promise.all(
      ['a1', 'a2'].map((id) => store.act((trx) => deletePasskey(trx, removal('anna', id)))),
    );
    expect(both.sort()).toEqual(['done', 'last_way']);
  });

  it('count on, or not at all, and never back', async () => {
    const { store, clock } = await withPeople('anna');
    await store.act((trx) => addPasskey(trx, 'anna', made('a1')));
    const used = { id: 'a1', personId: 'anna' };
    expect(await store.act((trx) => recordPasskeyUse(trx, used, 0))).toBe(true);
    await clock.advance(1_000);
    expect(await store.act((trx) => recordPasskeyUse(trx, used, 0))).toBe(true);
    expect(await listPasskeys(store.reader, 'anna')).toMatchObject([
      { lastUsedAt: START_MS + 1_000 },
    ]);
    expect(await store.act((trx) => recordPasskeyUse(trx, used, 5))).toBe(true);
    for (const counter of [5, 4, 0])
      expect(await store.act((trx) => recordPasskeyUse(trx, used, counter))).toBe(false);
    const both = await Promise.all([
      store.act((trx) => recordPasskeyUse(trx, used, 6)),
      store.act((trx) => recordPasskeyUse(trx, used, 6)),
    ]);
    expect(both.sort()).toEqual([false, true]);
  });

  it('answer a challenge once, which is kept until it is too old', async () => {
    const { store, clock, db } = await withPeople();
    const all = await Promise.all(
      [1, 2, 3].map(() => store.act((trx) => spendChallenge(trx, 'one', START_MS + 10))),
    );
    expect(all.sort()).toEqual([false, false, true]);
    expect(await store.act((trx) => spendChallenge(trx, 'two', START_MS + 10))).toBe(true);
    await clock.advance(11);
    await store.act((trx) => spendChallenge(trx, 'three', START_MS + 20));
    const kept = await db.selectFrom('spent_challenges').select('hash').execute();
    expect(kept).toEqual([{ hash: 'three' }]);
  });
});
