import { expect, it } from 'vitest';
import { MAX_PASSKEYS } from '../../../src/people/statements/passkeys.ts';
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
      await world.store.people.invite(person, link);
    }
    return { ...world, people: world.store.people, passkeys: world.store.passkeys };
  }

  const made = (id: string, credential = `credential of ${id}`) => ({
    ...{ id, credential, publicKey: 'key', counter: 0, transports: ['internal'], sealed: 'name' },
  });

  const removal = (personId: string, id: string) => ({
    ...{ personId, id, alsoLast: false, hasProvider: false, keptSession: null },
  });

  it('are of one person each, and as many as a person has devices', async () => {
    const { passkeys } = await withPeople('anna', 'ben');
    expect(await passkeys.hasAny()).toBe(false);
    expect(await passkeys.add('anna', made('a1'))).toBe('done');
    expect(await passkeys.hasAny()).toBe(true);
    expect(await passkeys.add('ben', made('b1', 'credential of a1'))).toBe('known');
    expect(await passkeys.add('no one', made('n1'))).toBe('unknown_person');
    for (let index = 2; index <= MAX_PASSKEYS; index += 1) {
      expect(await passkeys.add('anna', made(`a${index}`))).toBe('done');
    }
    expect(await passkeys.add('anna', made('more'))).toBe('too_many');
    expect(await passkeys.list('anna')).toHaveLength(MAX_PASSKEYS);
    expect(await passkeys.list('ben')).toEqual([]);
    expect(await passkeys.findByCredential('credential of a1')).toMatchObject({
      ...{ id: 'a1', personId: 'anna', transports: ['internal'] },
      ...{ createdAt: START_MS, lastUsedAt: null },
    });
  });

  it('are what a person joins with, in the place of a password, and undo it if they are known', async () => {
    const { people, passkeys } = await withPeople('anna', 'ben');
    expect(await people.join('link of anna', made('a1'))).toMatchObject({
      ...{ id: 'anna', password: null, joinedAt: START_MS },
    });
    await expect(people.join('link of ben', made('b1', 'credential of a1'))).rejects.toMatchObject({
      code: 'passkey_known',
    });
    expect(await people.findInvited('link of ben')).toMatchObject({ id: 'ben', joinedAt: null });
    expect(await passkeys.list('ben')).toEqual([]);
  });

  it('go with their person', async () => {
    const { people, passkeys } = await withPeople('anna', 'ben');
    await people.join('link of anna', made('a1'));
    await people.join('link of ben', made('b1'));
    expect(await people.remove('anna')).toBe('done');
    expect(await passkeys.findByCredential('credential of a1')).toBeNull();
    expect(await passkeys.list(null)).toMatchObject([{ id: 'b1' }]);
  });

  it('are removed but for the last way in, unless an owner says so, and end other sessions', async () => {
    const { people, passkeys, store } = await withPeople('anna');
    await people.join('link of anna', made('a1'));
    await passkeys.add('anna', made('a2'));
    for (const id of ['s1', 's2']) {
      await store.sessions.add({ hash: id, id, browser: null }, { personId: 'anna' });
    }
    expect(await passkeys.remove(removal('ben', 'a1'))).toBe('unknown');
    expect(await passkeys.remove({ ...removal('anna', 'a1'), keptSession: 's2' })).toBe('done');
    expect(await store.sessions.find('s1')).toBeNull();
    expect(await store.sessions.find('s2')).not.toBeNull();
    expect(await passkeys.remove(removal('anna', 'a2'))).toBe('last_way');
    await people.noteSubject('anna', 'subject');
    expect(await passkeys.remove(removal('anna', 'a2'))).toBe('last_way');
    expect(await passkeys.remove({ ...removal('anna', 'a2'), hasProvider: true })).toBe('done');
    await passkeys.add('anna', made('a3'));
    expect(await passkeys.remove({ ...removal('anna', 'a3'), alsoLast: true })).toBe('done');
    expect(await store.sessions.find('s2')).toBeNull();
  });

  it('leave one behind when the last two are removed at the same time', async () => {
    const { people, passkeys } = await withPeople('anna');
    await people.join('link of anna', made('a1'));
    await passkeys.add('anna', made('a2'));
    const both = await Promise.all(['a1', 'a2'].map((id) => passkeys.remove(removal('anna', id))));
    expect(both.sort()).toEqual(['done', 'last_way']);
  });

  it('count on, or not at all, and never back', async () => {
    const { passkeys, clock } = await withPeople('anna');
    await passkeys.add('anna', made('a1'));
    const used = { id: 'a1', personId: 'anna' };
    expect(await passkeys.noteUse(used, 0)).toBe(true);
    await clock.advance(1_000);
    expect(await passkeys.noteUse(used, 0)).toBe(true);
    expect(await passkeys.list('anna')).toMatchObject([{ lastUsedAt: START_MS + 1_000 }]);
    expect(await passkeys.noteUse(used, 5)).toBe(true);
    for (const counter of [5, 4, 0]) expect(await passkeys.noteUse(used, counter)).toBe(false);
    const both = await Promise.all([passkeys.noteUse(used, 6), passkeys.noteUse(used, 6)]);
    expect(both.sort()).toEqual([false, true]);
  });

  it('answer a challenge once, which is kept until it is too old', async () => {
    const { passkeys, clock, db } = await withPeople();
    const all = await Promise.all([1, 2, 3].map(() => passkeys.spend('one', START_MS + 10)));
    expect(all.sort()).toEqual([false, false, true]);
    expect(await passkeys.spend('two', START_MS + 10)).toBe(true);
    await clock.advance(11);
    await passkeys.spend('three', START_MS + 20);
    const kept = await db.selectFrom('spent_challenges').select('hash').execute();
    expect(kept).toEqual([{ hash: 'three' }]);
  });
});
