import { expect, it } from 'vitest';
import { fingerprintPerson } from '../../../src/identity/person-fingerprints.ts';
import { findContactsAlike } from '../../../src/privacy/statements/known-contacts.ts';
import { contactRow, putContacts } from '../../contacts/contact-stages.ts';
import { INTEGRATION, storeWorlds, testFingerprint } from '../../database/store-world.ts';
import { readableIdentities } from '../../helpers/identities.ts';
import { describeEachDatabase } from '../../helpers/test-databases.ts';

describeEachDatabase('findContactsAlike', (open) => {
  const createWorld = storeWorlds(open);

  it('finds other contacts that may be the same person, by what is remembered of them', async () => {
    const world = await createWorld();
    const identities = readableIdentities({ fingerprint: testFingerprint });
    const person = { firstName: 'Ada', lastName: 'Stone', addresses: ['5 Elm St'], employers: [] };
    const contact = (id: string, changes: object = {}) => ({
      ...person,
      ...{ id, optedOut: false },
      ...changes,
    });
    const contacts = [
      contact('c-1'),
      contact('c-2', { addresses: ['9 Oak Road', '5 Elm Street'] }),
      contact('c-3', { lastName: 'Stones' }),
      contact('c-4', { addresses: ['5 ELM STREET'], employers: ['Acme'] }),
    ];
    await putContacts(
      world,
      contacts.map((each) =>
        contactRow({ crm_id: each.id, identity: identities.read(each).text() }),
      ),
    );
    const fingerprints = fingerprintPerson(testFingerprint, person);
    const alike =
      fingerprints && (await findContactsAlike(world.store, fingerprints, [INTEGRATION]));
    // The two addresses have one stored form, so only the record itself shows which address equals the searched
    // address.
    expect(alike?.map(({ crmId }) => crmId)).toEqual(['c-1', 'c-4']);
    expect(
      fingerprints && (await findContactsAlike(world.store, fingerprints, ['lakeside'])),
    ).toEqual([]);
    expect(fingerprints && (await findContactsAlike(world.store, fingerprints, null))).toHaveLength(
      2,
    );
  });
});
