/** Tests that the page of a contact shows the end of an erasure without a reload, in a browser. */
import { describe, expect, it } from 'vitest';
import { contactHref } from '../../src/interfaces/pages/contacts/contact-href.ts';
import { WITHOUT_TRIAL } from '../helpers/sync-world.ts';
import { join } from '../interfaces/api/people-world.ts';
import { expectSound, openRooms } from './rooms.ts';

const rooms = openRooms();

describe('the page of a contact during an erasure', () => {
  it('ends with what was cleared and what stays, also in a second window that still shows the profile', async () => {
    const world = await rooms.openWorld({ integration: WITHOUT_TRIAL });
    const ids = await world.addPeople(8);
    const { runId } = await world.runner.request({ integrationId: 'riverside', trigger: 'manual' });
    await world.untilEnded(runId);
    const valuesOf = (id: string) =>
      Object.values(world.crm.records.get(id)?.values ?? {}).filter(Boolean).length;
    const id = ids.find((each) => valuesOf(each) > 3) ?? '';
    const filled = valuesOf(id);
    const { cookie } = await join(world, 'Ada', 'admin');
    const zone = { cookie, timezoneId: 'America/Chicago' };
    const view = await rooms.visit(world, contactHref('riverside', id), zone);
    const other = await rooms.visit(world, contactHref('riverside', id), { cookie });
    const { page } = view;
    await page.getByLabel(/also clear the values/).check();
    await page.getByRole('button', { name: 'Erase…' }).click();
    await page.getByRole('button', { name: 'Erase this contact' }).click();
    const main = page.getByRole('main');
    await main.getByText(/^This contact was erased on/).waitFor({ timeout: 40_000 });
    const text = await main.innerText();
    expect(text).toContain(`donor-sync cleared ${filled} values in the CRM.`);
    expect(text).toContain('The audit entries no longer show which contact they are about.');
    expect(text).not.toContain('being erased');
    expect(text).not.toContain('UTC');
    await expectSound(view);

    await other.page.getByText(/^This contact was erased on/).waitFor({ timeout: 40_000 });
    expect(await other.page.getByRole('heading', { name: 'Profile' }).count()).toBe(0);
    expect(await other.page.getByRole('button', { name: 'Erase…' }).count()).toBe(0);
    expect(view.complaints).toEqual([]);
  });
});
