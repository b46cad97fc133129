/**
 * Checks that each refused form appears again with the values that the user typed. Add a row to this table for each new
 * form.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { FORMS, findForm } from '../../../src/interfaces/pages/frame/forms.ts';
import { type HttpWorld, openHttpWorld } from './http-world.ts';
import { invite, join } from './people-world.ts';
import { COLUMNS, done, withFile } from './setup-world.ts';

/** A form that is filled in with invalid values. */
interface Filled {
  /** The address that the form is sent to. */
  path: string;
  typed: Readonly<Record<string, string>>;
  /** The page shows the values of these fields again. The default is all fields. */
  kept?: readonly string[];
  /** The secret fields, which the page must not show again. */
  secrets?: readonly string[];
  /** The field that has to be corrected, if the message is about a field. */
  field?: string;
  /** True for a visitor who has not signed in. */
  isStranger?: boolean;
}

const SECRET = 'sesame-4711-secret';

/** In these forms, users type or choose a value. */
const FILLED: Readonly<Record<string, (ids: Ids) => Filled>> = {
  '/sign-in': () => ({
    path: '/sign-in',
    typed: { email: 'dana@example.org', password: SECRET, to: '/' },
    ...{ kept: ['email'], secrets: ['password'], isStranger: true },
  }),
  '/join/:secret': ({ invitation }) => ({
    path: invitation,
    typed: { username: 'fred@example.org', fresh: '123' },
    ...{ kept: [], isStranger: true },
  }),
  '/account/password': () => ({
    path: '/account/password',
    typed: { old: SECRET, fresh: `${SECRET}-new` },
    ...{ kept: [], secrets: ['old', 'fresh'] },
  }),
  '/account/proof': () => ({
    path: '/account/proof',
    typed: { password: SECRET },
    ...{ kept: [], secrets: ['password'] },
  }),
  '/users': () => ({
    path: '/users',
    typed: { name: 'Zelda Quince', email: 'no address', role: 'decider', reach: 'some' },
  }),
  '/users/:user/role': ({ user }) => ({
    path: `/users/${user}/role`,
    typed: { role: 'admin', reach: 'some' },
  }),
  '/tokens': () => ({
    path: '/tokens',
    typed: { name: 'Nightly report', role: 'reader', reach: 'some' },
  }),
  '/door-tokens': () => ({
    path: '/door-tokens',
    typed: { name: 'Salesforce', integration: 'riverside', perDay: '0' },
  }),
  '/setup': () => ({ path: '/setup', typed: { name: `Clinic \${HOME}` } }),
  '/setup/:client/crm': ({ setup }) => ({
    path: `/setup/${setup}/crm`,
    typed: {
      ...{ kind: 'salesforce', clientId: '3MVG9', clientSecret: SECRET },
      ...{ way: 'clientCredentials', url: 'https://10.1.2.3' },
    },
    ...{ kept: ['clientId', 'way', 'url'], secrets: ['clientSecret'] },
  }),
  '/setup/:client/file': ({ setup }) => ({
    path: `/setup/${setup}/file`,
    typed: { sheet: 'Donors 2026' },
  }),
  '/setup/:client/key': ({ setup }) => ({
    path: `/setup/${setup}/key`,
    typed: { baseUrl: 'https://10.1.2.3/v1/partners', apiKey: SECRET },
    ...{ kept: ['baseUrl'], secrets: ['apiKey'] },
  }),
  '/setup/:client/people': ({ setup }) => ({
    path: `/setup/${setup}/people`,
    typed: { ...COLUMNS, id: 'Role', firstName: 'Last Name', lastName: '', badRows: 'skip' },
    ...{ kept: ['id', 'firstName', 'badRows'], field: 'lastName' },
  }),
  '/setup/:client/fields': ({ setup }) => ({
    path: `/setup/${setup}/fields`,
    typed: { 'to.age': 'Years', 'when.age': 'ifEmpty', 'to.bio': 'Years' },
  }),
  '/setup/:client/networks': ({ setup }) => ({
    path: `/setup/${setup}/networks`,
    typed: {
      group: '{"column":"Role","equals":"Board"}',
      'name:{"column":"Role","equals":"Board"}': '',
      'name:{"column":"Role","equals":"Donor"}': 'Friends of ours',
    },
  }),
  '/setup/:client/schedule': ({ setup }) => ({
    path: `/setup/${setup}/schedule`,
    typed: {
      ...{ perMonth: 'lots', perRun: '12', rhythm: 'weekly', hour: '3' },
      ...{ timezone: 'America/Chicago', cron: '0 4 * * *' },
    },
    field: 'perMonth',
  }),
  '/clients/:client/schedule': ({ client }) => ({
    path: `/clients/${client}/schedule`,
    typed: { rhythm: 'cron', time: '04:30', weekday: '3', cron: 'x', timezone: 'Asia/Tokyo' },
  }),
  '/clients/:client/webhooks': ({ client }) => ({
    path: `/clients/${client}/webhooks`,
    typed: { signature: 'hubspot', secret: SECRET.repeat(100) },
    ...{ kept: ['signature'], secrets: ['secret'] },
  }),
  '/clients/:client/contacts': ({ client }) => ({
    path: `/clients/${client}/contacts`,
    typed: { text: 'y'.repeat(101) },
    field: 'text',
  }),
};

/** These forms contain only a button, or the page itself sets their few hidden fields. */
const BUTTONS = new Set([
  ...['/link/:secret', '/account/links/:link/end'],
  ...['/introductions/:client/csv', '/introductions/:client/listed/:contact'],
  '/introductions/:client/listed/:contact/remove',
  '/sign-out',
  '/first-visit/:secret',
  '/confirm-address/:secret',
  '/account/passkeys/:passkey/remove',
  '/account/sessions/:session/end',
  '/account/sign-out-everywhere',
  ...['/account/mails/:kind', '/account/mails-confirmed', '/stop-mails/:secret'],
  '/users/:user/link',
  '/users/:user/disable',
  '/users/:user/enable',
  '/users/:user/sign-out',
  '/users/:user/remove',
  '/users/:user/passkeys/:passkey/remove',
  '/tokens/:token/revoke',
  '/setup/:client/change',
  '/setup/:client/drop',
  '/setup/:client/preview',
  '/setup/:client/plan',
  '/integrations/:client/sync',
  '/integrations/:client/accept-match-rate',
  '/integrations/:client/accept-marks',
  '/integrations/:client/pause',
  '/integrations/:client/resume',
  '/clients/:client/schedule/pause',
  '/clients/:client/schedule/resume',
  '/clients/:client/alerts/test',
  '/clients/:client/fields/create',
  '/clients/:client/doctor',
  // This form has the same fields as the form that creates the address.
  '/clients/:client/webhooks/rotate',
  '/clients/:client/webhooks/revoke',
  '/clients/:client/contacts/:contact/plan',
  '/clients/:client/contacts/:contact/enhance',
  '/clients/:client/contacts/:contact/redelivery/preview',
  '/clients/:client/contacts/:contact/redelivery',
  '/clients/:client/contacts/:contact/forget/preview',
  '/clients/:client/contacts/:contact/forget',
  '/runs/:run/stop',
  '/runs/:run/undo/preview',
  '/runs/:run/undo',
  '/runs/:run/retry',
  '/decisions/all/approve',
  '/decisions/all/reject',
  '/decisions/all/resubmit',
  '/decisions/answers/:answer/withdraw',
  '/decisions/approvals/:approval/confirm',
  '/decisions/approvals/:approval/refuse',
  '/decisions/batches/:id/approve',
  '/decisions/batches/:id/reject',
  '/decisions/:id/approve',
  '/decisions/:id/reject',
  '/decisions/:id/resubmit',
  '/networks/:client/check',
  '/networks/:client/repair',
  '/networks/:client/prospects',
  '/audit/verify',
]);

/**
 * Only the forms' own tests can fill in these forms. The forms need a first visit, a passkey, the address, or a service
 * with networks.
 */
const ELSEWHERE = new Set([
  ...['/first-visit', '/account/passkeys', '/address', '/networks/:client/who'],
]);

interface Ids {
  client: string;
  setup: string;
  user: string;
  invitation: string;
}

let world: HttpWorld;
let cookie = '';
let ids: Ids;

beforeAll(async () => {
  world = await openHttpWorld({
    isPublic: true,
    setup: { serviceUrl: null, hosts: ['127.0.0.1:*'] },
  });
  // While there are no users, the test needs no session.
  const setup = await withFile(
    world,
    'Id,First Name,Last Name,Role\n1,Ada,Vale,Board\n2,Ben,Hill,Donor\n',
  );
  await post(`/setup/${setup}/people`, { ...COLUMNS, id: 'Id' });
  await post(`/setup/${setup}/fields`, { 'to.age': 'Age' });
  const client = await done(world);
  ({ cookie } = await join(world, 'Dana', 'owner'));
  const { id: user } = await join(world, 'Vera', 'viewer');
  const { path: invitation } = await invite(world, 'Fred', 'viewer');
  ids = { client, setup, user, invitation };
});

afterAll(() => world.close());

async function post(path: string, typed: Readonly<Record<string, string>>, isStranger = false) {
  const headers = { origin: world.url, ...(isStranger ? {} : { cookie }) };
  const body = new URLSearchParams(typed);
  const response = await fetch(world.url + path, {
    ...{ method: 'POST', redirect: 'manual', headers, body },
  });
  return { status: response.status, text: await response.text(), headers: response.headers };
}

describe('every form of the pages', () => {
  it('has a rule, and each rule has a form', () => {
    const paths = world.routes.flatMap(({ method, path }) => (method === 'POST' ? [path] : []));
    const ofPages = paths.filter((path) => !/^\/(v1|hooks|doors|oauth)\//.test(path));
    const missing = ofPages.filter((path) => {
      const example = path.replace(':step', 'people').replaceAll(/:\w+/g, 'x');
      return findForm(example) === null;
    });
    expect(missing).toEqual([]);
    const shapes = new Set(ofPages.map((path) => path.replaceAll(/:\w+/g, ':')));
    const orphans = FORMS.filter(({ action }) => {
      const shape = action.replaceAll(/:\w+/g, ':');
      return !shapes.has(shape) && !/^\/setup\/:\/\w+$/.test(shape);
    });
    expect(orphans).toEqual([]);
  });

  it('is tried here, is only a button, or has a test of its own', () => {
    const known = new Set([...Object.keys(FILLED), ...BUTTONS, ...ELSEWHERE]);
    expect(FORMS.map(({ action }) => action).filter((action) => !known.has(action))).toEqual([]);
    expect([...known].filter((one) => !FORMS.some(({ action }) => action === one))).toEqual([]);
  });
});

describe('a refused form', () => {
  it.each(Object.keys(FILLED))(
    '%s comes back with what was typed, without secrets',
    async (name) => {
      const filled = FILLED[name]?.(ids);
      if (filled === undefined) throw new Error('There is no such form.');
      const { path, typed, secrets = [], field, isStranger } = filled;
      const { status, text } = await post(path, typed, isStranger);
      expect(status).toBeGreaterThanOrEqual(400);
      expect(text).toContain('role="alert"');
      const shown = readValues(text);
      const { kept = Object.keys(typed).filter((one) => !secrets.includes(one)) } = filled;
      for (const one of kept) expect(shown.get(one), one).toContain(typed[one]);
      for (const one of secrets) expect(text, one).not.toContain(typed[one]);
      expect(text).toContain('autofocus');
      if (field !== undefined) {
        const wrong = [...text.matchAll(/<(?:input|select)[^>]*aria-invalid[^>]*>/g)].map(String);
        expect(wrong).toHaveLength(1);
        expect(wrong[0]).toContain(`name="${field}"`);
      }
    },
  );

  it('is never filled in by a page of another site', async () => {
    const response = await fetch(`${world.url}/users`, {
      ...{ method: 'POST', redirect: 'manual', body: new URLSearchParams({ name: 'Mallory' }) },
      headers: { cookie, origin: 'https://elsewhere.example' },
    });
    expect(response.status).toBe(403);
    expect(await response.text()).not.toContain('Mallory');
  });
});

describe('a set-up that is refused', () => {
  it('keeps a secret that was accepted, and says so, but never a time zone that nobody chose', async () => {
    const path = `/setup/${ids.setup}/schedule`;
    const alertsUrl = `${world.url}/chat/${SECRET}`;
    const typed = { rhythm: 'nightly', hour: '2', timezone: '', alertsUrl };
    const { status, text } = await post(path, typed);
    expect(status).toBe(422);
    expect(text).toMatch(/<input[^>]*name="timezone"[^>]*aria-invalid="true"/);
    expect(text).toContain('Entered. Leave this empty, unless it changes.');
    expect(text).not.toContain(SECRET);
  });

  it('shows one answer to a wrong key', async () => {
    const { baseUrl } = world.service;
    const { status, text } = await post(`/setup/${ids.setup}/key`, { baseUrl, apiKey: SECRET });
    expect(status).toBe(422);
    expect(text).not.toContain('The service knows this key');
  });

  it('has both versions of a step that was saved in another window', async () => {
    const path = `/setup/${ids.setup}/schedule`;
    const page = await (await fetch(world.url + path, { headers: { cookie } })).text();
    const version = /name="version" value="(\d+)"/.exec(page)?.[1] ?? '';
    const zone = { hour: '2', perMonth: '', perRun: '' };
    const first = { ...zone, version, rhythm: 'weekly', timezone: 'Europe/Berlin' };
    expect((await post(path, first)).status).toBe(303);
    const second = { ...zone, version, rhythm: 'nightly', timezone: 'Asia/Tokyo' };
    const { status, text } = await post(path, second);
    expect(status).toBe(409);
    expect(readValues(text).get('timezone')).toEqual(['Asia/Tokyo']);
    expect(text).toContain('Saved in the other window: <strong>Europe/Berlin</strong>');
    expect(text).toContain('Saved in the other window: <strong>on Mondays</strong>');
    const again = /name="version" value="(\d+)"/.exec(text)?.[1] ?? '';
    expect((await post(path, { ...second, version: again })).status).toBe(303);
  });
});

const stateSchema = z.strictObject({ user: z.string().nullable(), isSentAgain: z.boolean() });

describe('a session that has ended', () => {
  async function stateOf(form: string, headers: Record<string, string>) {
    const query = new URLSearchParams({ form });
    const response = await fetch(`${world.url}/sign-in/state?${query}`, { headers });
    return stateSchema.parse(await response.json());
  }

  it('is told to the page, with whether the form may be sent a second time', async () => {
    const owner = { cookie };
    const save = await stateOf('/setup/lakeside/people', owner);
    expect(save).toMatchObject({ isSentAgain: true });
    expect(await stateOf('/setup/lakeside/people', {})).toEqual({ user: null, isSentAgain: true });
    const clicks = FORMS.filter(({ kind }) => kind !== 'save' && kind !== 'look');
    for (const { action } of clicks) {
      const path = action.replaceAll(/:\w+/g, 'x');
      expect(await stateOf(path, owner), action).toMatchObject({ isSentAgain: false });
    }
    const page = await (await fetch(`${world.url}/users`, { headers: owner })).text();
    expect(page).toContain(`data-user="${save.user}"`);
  });

  it('leads browsers without scripts to the sign-in, and says that nothing was sent', async () => {
    const { status, text } = await post('/users', { name: 'Zelda' }, true);
    expect(status).toBe(401);
    expect(text).toContain('Your session has ended. Nothing was saved or sent.');
    expect(text).toContain('href="/sign-in?to=%2Fusers"');
    expect(text).not.toContain('dst_');
  });
});

/** Returns the values that each field on the page shows. */
function readValues(page: string): Map<string, string[]> {
  const shown = new Map<string, string[]>();
  const note = (name: string, value: string) =>
    shown.set(decode(name), [...(shown.get(decode(name)) ?? []), decode(value)]);
  for (const [tag] of page.matchAll(/<input\b[^>]*>/g)) {
    const name = / name="([^"]*)"/.exec(tag)?.[1];
    const type = / type="([^"]*)"/.exec(tag)?.[1] ?? 'text';
    const value = / value="([^"]*)"/.exec(tag)?.[1] ?? '';
    if (name === undefined || type === 'hidden') continue;
    if (['checkbox', 'radio'].includes(type) && !tag.includes(' checked')) continue;
    note(name, value);
  }
  for (const [, name = '', inner = ''] of page.matchAll(
    /<select\b[^>]* name="([^"]*)"[^>]*>(.*?)<\/select>/gs,
  )) {
    for (const [option] of inner.matchAll(/<option\b[^>]*>/g)) {
      if (option.includes(' selected')) note(name, / value="([^"]*)"/.exec(option)?.[1] ?? '');
    }
  }
  return shown;
}

function decode(text: string): string {
  return text.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&amp;', '&');
}
