/** Pages show contact names by default and request the names from the CRM. The page does not store the names. */
import { expect, it } from 'vitest';
import { RetriableError } from '../../src/core/errors.ts';
import { listAuditEntries } from '../../src/privacy/audit/read-audit.ts';
import { noteEntries } from '../../src/privacy/audit/record.ts';
import type { HttpWorld } from '../interfaces/api/http-world.ts';
import { join } from '../interfaces/api/people-world.ts';
import { openNetworkWorld } from './network-world.ts';
import { expectSound, openRooms } from './rooms.ts';

const rooms = openRooms();

async function openRun(world: HttpWorld): Promise<string> {
  const { runId } = await world.runner.request({ integrationId: 'riverside', trigger: 'manual' });
  await world.untilEnded(runId);
  return runId;
}

const entriesOf = (world: HttpWorld) =>
  listAuditEntries(world.application.store, { action: 'names.shown', limit: 50 });

function nameOf(world: HttpWorld, crmId: string): string {
  const contact = world.crm.records.get(crmId)?.contact;
  return `${contact?.firstName} ${contact?.lastName}`;
}

it('shows a reader the names of the rows of a run, in one request with one audit entry', async () => {
  const world = await rooms.openWorld();
  const ids = await world.addPeople(12);
  const runId = await openRun(world);
  const { cookie } = await join(world, 'Rea', 'reader');
  const view = await rooms.visit(world, '/account', { cookie });
  const { page } = view;
  const requests: string[] = [];
  page.on('request', (request) => requests.push(`${request.method()} ${request.url()}`));
  await page.goto(`${world.url}/runs/${runId}`);
  const [id = ''] = ids;
  const row = page.getByRole('row').filter({ hasText: id });
  await expect.poll(() => row.getByRole('rowheader').innerText()).toContain(nameOf(world, id));
  expect(await row.getByRole('rowheader').innerText()).toContain(id);
  for (const each of ids)
    expect(await page.locator('#contacts').innerText()).toContain(nameOf(world, each));
  expect(requests.filter((each) => each.endsWith('/v1/contact-names'))).toHaveLength(1);
  expect(requests.length).toBeLessThanOrEqual(10);
  expect(await entriesOf(world)).toHaveLength(1);
  expect(requests.join('\n')).not.toContain(nameOf(world, id).split(' ')[1]);
  const stored = await page.evaluate(
    'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, history.state])',
  );
  expect(stored).not.toContain(nameOf(world, id).split(' ')[1]);
  await expectSound(view);
});

it('removes the names from the page when the user leaves it', async () => {
  const world = await rooms.openWorld();
  const [id = ''] = await world.addPeople(3);
  const runId = await openRun(world);
  const { page } = await rooms.visit(world, `/runs/${runId}`);
  await page.getByText(nameOf(world, id)).first().waitFor();
  await page.evaluate("dispatchEvent(new PageTransitionEvent('pagehide'))");
  expect(await page.content()).not.toContain(nameOf(world, id));
  expect(await page.content()).toContain(id);
});

it('keeps the IDs and says why if the CRM is not available', async () => {
  const world = await rooms.openWorld();
  const [id = ''] = await world.addPeople(3);
  const runId = await openRun(world);
  world.crm.failNext(
    'open',
    new RetriableError('The CRM is closed for repairs.', { code: 'crm_unavailable' }),
  );
  const view = await rooms.visit(world, `/runs/${runId}`);
  await view.page
    .getByRole('status')
    .filter({ hasText: 'Names are not shown: The CRM is closed for repairs.' })
    .waitFor();
  expect(await view.page.locator('#contacts').innerText()).toContain(id);
  expect(await entriesOf(world)).toHaveLength(0);
  await expectSound(view);
});

it('shows a viewer no names, and asks for none', async () => {
  const world = await rooms.openWorld();
  const [id = ''] = await world.addPeople(3);
  const runId = await openRun(world);
  const { cookie } = await join(world, 'Vic', 'viewer');
  const { page } = await rooms.visit(world, '/account', { cookie });
  const requests: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  await page.goto(`${world.url}/runs/${runId}`, { waitUntil: 'networkidle' });
  expect(await page.locator('#contacts').innerText()).toContain(id);
  expect(await page.content()).not.toContain(nameOf(world, id));
  expect(requests.filter((each) => each.includes('contact-names'))).toEqual([]);
});

it('names the contacts in the list and in the picture of a network', async () => {
  const world = await openNetworkWorld();
  try {
    const view = await rooms.visit(world, '/networks/riverside');
    const { page } = view;
    const first = page.locator('#paths tbody tr').first();
    await expect.poll(() => first.locator('.contact-name').count()).toBe(2);
    const shown = await first.locator('th .contact-name').innerText();
    const id = await first.locator('th .contact-id').innerText();
    expect(shown).toBe(nameOf(world, id));
    const labels = `document.querySelector('[data-picture]').picture?.nodes().map((node) => node.data('label')) ?? []`;
    await expect.poll(() => page.evaluate(labels), { timeout: 20_000 }).toContain(shown);
    expect(await entriesOf(world)).toHaveLength(1);
    await expectSound(view);
  } finally {
    await world.close();
  }
});

it('names the contact in the audit, and in an erasure that waits for a second user', async () => {
  const world = await rooms.openWorld({
    settings: { twoPeople: { forget: true } },
    others: ['harbor'],
  });
  const [id = ''] = await world.addPeople(3);
  await openRun(world);
  const ada = await join(world, 'Ada', 'admin');
  await join(world, 'Ben', 'admin');
  // The entry belongs to a client that no longer exists, so the page does not get a name for it.
  await noteEntries(world.application.store.act, [
    { action: 'contact.shown', integrationId: 'gone', crmId: 'g1' },
  ]);
  const view = await rooms.visit(world, `/clients/riverside/contacts/${id}`, ada);
  const { page } = view;
  await page.getByRole('button', { name: 'Erase…' }).click();
  await page.getByText('Another user has to confirm it before anything is erased.').waitFor();
  await expect
    .poll(() => page.getByRole('heading', { level: 2 }).first().innerText())
    .toBe(`Contact ${nameOf(world, id)} ${id}`);
  await expectSound(view);
  await page.getByRole('button', { name: 'Request the erasure' }).click();
  await page.getByText('Nothing has been erased yet:').first().waitFor();
  await page.goto(`${world.url}/decisions`);
  const waiting = page.getByRole('region', { name: 'Waiting for a second user' });
  await waiting
    .getByText(`Erase the contact ${nameOf(world, id)} ${id} from`)
    .first()
    .waitFor();
  await expectSound(view);
  await page.goto(`${world.url}/audit`);
  const row = page.getByRole('row', { name: /Opened the page of a contact/ });
  await row
    .filter({ hasText: `${nameOf(world, id)} ${id}` })
    .first()
    .waitFor();
  expect(await row.filter({ hasText: 'g1' }).count()).toBe(1);
  await expectSound(view);
});
