import { describe, expect, it } from 'vitest';
import type { Connector } from '../../../connectors/contract.ts';
import { findContacts } from '../../../src/contacts/contacts.ts';
import { RetriableError } from '../../../src/core/errors.ts';
import { openHubspot, openSalesforce } from './testbed.ts';

/** The time between two nightly runs. Consecutive readings of a CRM overlap by a few hours at most. */
const HALF_DAY_MS = 12 * 3_600_000;

/** CRMs that report removals. A CSV file is missing, because its rows are always compared with the known contacts. */
const CRMS = [
  ['Salesforce', openSalesforce],
  ['HubSpot', openHubspot],
] as const;

describe.each(CRMS)('a contact that was deleted in %s after it alone was bought', (_, open) => {
  it('is removed by the first complete reading, although no earlier reading has a position', async () => {
    const { world, crm } = await open({ people: 6 });
    const [id = ''] = crm.ids;
    expect(await world.sync({ only: [id] })).toMatchObject({ contacts: { submitted: 1 } });
    await crm.remove(id);
    expect(await world.sync()).toMatchObject({ status: 'succeeded', contacts: { read: 5 } });
    const { store, integration } = world;
    expect((await findContacts(store.reader, integration.id, [id])).get(id)?.state).toBe('removed');
  });
});

describe.each(CRMS)('a contact that was deleted in %s since the last run', (_, open) => {
  /** Opens a CRM whose contacts are all enhanced, and deletes one contact half a day after the run. */
  async function openWithoutOne() {
    let passedMs = 0;
    const bed = await open({ people: 6, clock: () => Date.now() + passedMs });
    expect((await bed.world.sync()).status).toBe('succeeded');
    const [id = ''] = bed.crm.ids;
    passedMs += HALF_DAY_MS;
    await bed.crm.remove(id);
    passedMs += HALF_DAY_MS;
    const { store, integration } = bed.world;
    const stateOf = async () =>
      (await findContacts(store.reader, integration.id, [id])).get(id)?.state;
    expect(await stateOf()).toBe('settled');
    return { ...bed, stateOf };
  }

  it('is removed by a run that reads all contacts again', async () => {
    const { world, stateOf } = await openWithoutOne();
    expect(await world.sync({ full: true })).toMatchObject({ status: 'succeeded' });
    expect(await stateOf()).toBe('removed');
  });

  it('is removed if other settings select the contacts now', async () => {
    const { world, stateOf } = await openWithoutOne();
    const { integration } = world;
    const contacts = { ...integration.contacts, includeDeceased: true };
    const run = await world.sync({ integration: { ...integration, contacts } });
    expect(run).toMatchObject({ status: 'succeeded', contacts: { read: 5 } });
    expect(await stateOf()).toBe('removed');
  });

  it('is removed by the next run if the reading of all contacts was cut off', async () => {
    const { world, crm, stateOf } = await openWithoutOne();
    const openCrm = crm.open;
    crm.open = async (signal) => withoutPages(await openCrm(signal));
    expect(await world.sync({ full: true })).toMatchObject({ status: 'incomplete' });
    crm.open = openCrm;
    expect(await world.sync()).toMatchObject({ status: 'succeeded' });
    expect(await stateOf()).toBe('removed');
  });
});

/** Returns the connector of a CRM that stops answering before the first page. */
function withoutPages(connector: Connector): Connector {
  return {
    ...connector,
    readPages() {
      throw new RetriableError('The CRM does not answer.', { code: 'crm_unavailable' });
    },
  };
}
