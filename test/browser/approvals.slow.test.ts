import { describe, expect, it } from 'vitest';
import { controlService } from '../helpers/service-control.ts';
import { join } from '../interfaces/api/people-world.ts';
import { findBarriers } from './browser.ts';
import { MOVED, openMoved, sync } from './moved-world.ts';
import { openRooms } from './rooms.ts';

const rooms = openRooms();

describe('a mass approval that waits for a second person', () => {
  it('shows the one that it waits, and lets the other confirm it', async () => {
    const world = await openMoved(rooms, { settings: { twoPeople: { approvals: 10 } } });
    const ada = await join(world, 'Ada', 'decider');
    const ben = await join(world, 'Ben', 'decider');
    const spent = () => controlService(world.service).spent();
    const before = await spent();

    const own = await rooms.visit(world, '/decisions', { cookie: ada.cookie });
    await own.page.getByRole('navigation', { name: 'Queue' }).getByRole('link').click();
    await own.page.getByRole('button', { name: 'Approve all (40 credits)' }).click();
    await own.page.getByRole('button', { name: 'Approve all 40 contacts' }).click();
    await own.page
      .getByText('Nothing has been decided yet: this is waiting for a second user.')
      .waitFor();
    const list = own.page.getByRole('region', { name: 'Waiting for a second user' });
    expect(await list.innerText()).toContain('Waiting for another user');
    expect(await list.getByRole('button', { name: 'Confirm' }).count()).toBe(0);
    expect(await findBarriers(own.page)).toEqual([]);
    await sync(world);
    expect(await spent()).toBe(before);

    const phone = { width: 375, height: 800, colorScheme: 'dark' } as const;
    const other = await rooms.visit(world, '/decisions', { cookie: ben.cookie, ...phone });
    await other.page.getByText('Requested by Ada (browser)').waitFor();
    expect(await findBarriers(other.page)).toEqual([]);
    expect(await other.page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
    await other.page.getByRole('button', { name: 'Confirm' }).first().click();
    const question = other.page.getByRole('dialog', { name: 'Confirm it?' });
    expect(await question.innerText()).toContain('40 contacts');
    await question.getByRole('button', { name: 'Confirm' }).click();
    await other.page.getByText('No decisions are pending.').waitFor();
    await sync(world);
    expect(await spent()).toBe(before + MOVED);
    expect([...own.complaints, ...other.complaints]).toEqual([]);
  });
});
