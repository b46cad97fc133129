import { expect, it } from 'vitest';
import { connectorSecrets } from '../../src/clients/connector-secrets.ts';
import { RetriableError } from '../../src/core/errors.ts';
import { generateKey, parseKeyRing } from '../../src/database/encryption/key-ring.ts';
import { createSealer } from '../../src/database/encryption/sealed.ts';
import { sealUnbound } from '../database/encryption/unbound-seal.ts';
import { storeWorlds } from '../database/store-world.ts';
import { describeEachDatabase } from '../helpers/test-databases.ts';

const ENTRY = { action: 'crm.connected', integrationId: 'a' } as const;
const keyRing = parseKeyRing(generateKey('2026'));

describeEachDatabase('connectorSecrets', (open) => {
  const createWorld = storeWorlds(open);

  it('gives back what it was given, to the same integration', async () => {
    const { ofIntegration } = await secretsWorld();
    await ofIntegration('riverside').write('token', 'of riverside');
    expect(await ofIntegration('riverside').read('token')).toBe('of riverside');
    expect(await ofIntegration('hillside').read('token')).toBeNull();
  });

  it.each([
    ['another integration', 'integration/hillside/token'],
    ['another name', 'integration/riverside/other'],
  ])('does not open a secret that was moved to %s', async (_, name) => {
    const { db, ofIntegration } = await secretsWorld();
    await ofIntegration('riverside').write('token', 'of riverside');
    await db.updateTable('secrets').set({ name }).execute();
    const [, id = '', secret = ''] = name.split('/');
    await expect(ofIntegration(id).read(secret)).rejects.toMatchObject({
      kind: 'fatal',
      code: 'sealed_value_damaged',
      message: expect.stringContaining('secrets.value'),
    });
  });

  it('does not open a secret in a form that it does not know', async () => {
    const { db, ofIntegration } = await secretsWorld();
    const value = await sealUnbound(keyRing, 'planted');
    await db.insertInto('secrets').values({ name: 'integration/riverside/token', value }).execute();
    await expect(ofIntegration('riverside').read('token')).rejects.toMatchObject({
      code: 'sealed_value_damaged',
    });
  });

  it.each([
    [
      'is repeated without an audit entry, since its token is the only one that counts',
      undefined,
      2,
    ],
    ['is not repeated with an audit entry, which could be there twice', ENTRY, 1],
  ])('a secret whose commit was not confirmed %s', async (_, entry, times) => {
    const { store } = await createWorld();
    let tries = 0;
    const act: typeof store.act = async (work) => {
      tries += 1;
      if (tries === 1) throw new RetriableError('lost', { code: 'database_commit_unconfirmed' });
      return store.act(work);
    };
    const secrets = connectorSecrets(
      { store: { ...store, act }, sealer: createSealer(keyRing) },
      'a',
    );
    const written = await secrets.write('token', 'new', entry).catch(({ code }) => code);
    expect([written, tries]).toEqual([
      times === 1 ? 'database_commit_unconfirmed' : undefined,
      times,
    ]);
  });

  async function secretsWorld() {
    const { db, store } = await createWorld();
    const sealer = createSealer(keyRing);
    return { db, ofIntegration: (id: string) => connectorSecrets({ store, sealer }, id) };
  }
});
