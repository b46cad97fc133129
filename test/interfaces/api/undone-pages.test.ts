/** Tests how the pages describe a run and its contacts after a user has undone the run. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { contactHref } from '../../../src/interfaces/pages/contacts/contact-href.ts';
import { WITHOUT_TRIAL } from '../../helpers/sync-world.ts';
import { type HttpWorld, openHttpWorld } from './http-world.ts';
import { get, join, send } from './people-world.ts';

let world: HttpWorld;
let cookie = '';
let run = '';
/** A contact whose values were restored. */
let restored = '';
/** The preview of the undo, as the user saw it. */
let preview = '';

function fieldsOf(id: string): string[] {
  const values = Object.entries(world.crm.records.get(id)?.values ?? {});
  return values.flatMap(([name, value]) => (value ? [name] : []));
}

async function see(path: string): Promise<string> {
  const response = await get(world, path, cookie);
  expect(response.status).toBe(200);
  return response.text();
}

/** Returns the text that a user reads, without tags. */
function textOf(html: string): string {
  return html.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');
}

function rowOf(html: string, content: string): string {
  const rows = html.split('<tr').map((part) => part.split('</tr>')[0] ?? '');
  return textOf(`<${rows.find((row) => row.includes(content)) ?? ''}`);
}

beforeAll(async () => {
  world = await openHttpWorld({ integration: WITHOUT_TRIAL });
  const ids = await world.addPeople(8);
  ({ cookie } = await join(world, 'Ada', 'admin'));
  const { runId } = await world.runner.request({ integrationId: 'riverside', trigger: 'manual' });
  await world.untilEnded(runId);
  run = runId;
  restored = ids.find((id) => fieldsOf(id).length > 0) ?? '';
  expect(restored).not.toBe('');
  preview = (await send(world, `/runs/${run}/undo/preview`, {}, { cookie })).text;
  const digest = /name="digest" value="([^"]*)"/.exec(preview)?.[1] ?? '';
  expect((await send(world, `/runs/${run}/undo`, { digest }, { cookie })).status).toBe(303);
  await vi.waitFor(async () => expect(await see(`/runs/${run}`)).toContain('restored by Ada'), {
    timeout: 20_000,
  });
});
afterAll(() => world.close());

describe('after an undo', () => {
  it('says in the preview when the run started', () => {
    expect(preview).toMatch(/Undo this run of Riverside Food Bank\?/);
    expect(preview).toMatch(/Start of the run[^<]*<\/dt><dd[^>]*><time datetime="2/);
  });

  it('says in the row of each contact that its values were written and restored, by whom and when', async () => {
    const html = await see(`/runs/${run}?outcome=written`);
    const row = rowOf(html, `id="changes-`);
    expect(row).toContain('written, then restored');
    expect(row).toContain('Restored by Ada');
    expect(html.split('<tbody>').at(-1)).toMatch(/Restored by Ada <time datetime="2/);
  });

  it('shows in the dialog of a contact the fields that were written and restored, with their values now', async () => {
    const html = await see(`/runs/${run}/changes?contact=${restored}`);
    expect(html).not.toContain('did not write any field');
    const text = textOf(html);
    expect(text).toContain('Ada restored the values from before the run');
    expect(html).toContain('Donor Nonprofit Capacity');
    expect(rowOf(html, 'Donor Nonprofit Capacity')).toContain('(empty)');
  });

  it('lists the undo in the history of the contact, with the user and the time', async () => {
    const html = await see(contactHref('riverside', restored));
    const history = html.slice(html.indexOf('id="history-title"'));
    const row = rowOf(history, 'Ada restored');
    expect(row).toContain('Ada restored the values from before the run');
    expect(row).toContain('restored');
    expect(row).toMatch(/\d{4}, \d\d:\d\d UTC/);
    expect(rowOf(history, 'new values were written')).toContain('written');
  });

  it('says in the summary of the contact that the values of the last run were restored', async () => {
    const html = await see(contactHref('riverside', restored));
    const summary = html.slice(html.indexOf('aria-label="Summary"')).split('</section>')[0] ?? '';
    expect(textOf(summary)).toContain('Ada restored the values from before the run');
  });

  it('says for each value who has undone it, and when', async () => {
    const html = await see(contactHref('riverside', restored));
    const row = rowOf(html, 'Giving capacity');
    expect(row).toContain('Ada has undone the value');
    expect(row).not.toContain('a user has undone');
    expect(html).toMatch(/Ada has undone the value,? <time datetime="2/);
  });

  it('mentions the undo in the list of runs on the page of the client', async () => {
    const html = await see('/clients/riverside');
    expect(rowOf(html, `id="run-${run}"`)).toMatch(/\d+ written, \d+ restored by Ada/);
  });
});

describe('the button that erases a contact', () => {
  it('comes after the choice about the values in the CRM', async () => {
    const html = await see(contactHref('riverside', restored));
    const choice = html.indexOf('name="alsoInCrm"');
    expect(choice).toBeGreaterThan(0);
    expect(html.indexOf('Erase…')).toBeGreaterThan(choice);
  });
});
