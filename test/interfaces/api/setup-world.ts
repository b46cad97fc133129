import { findSetup } from '../../../src/clients/setup/draft.ts';
import { listSealedSettings } from '../../../src/clients/statements/integrations.ts';
import { settingsSealContext } from '../../../src/database/encryption/seal-contexts.ts';
import { closedAfterTest } from '../../helpers/closed-after-test.ts';
import { controlService } from '../../helpers/service-control.ts';
import { type HttpWorld, type HttpWorldOptions, openHttpWorld } from './http-world.ts';

export const open = closedAfterTest(openHttpWorld);
const LOCAL = { setup: { serviceUrl: null, hosts: ['127.0.0.1:*'] } };

/** Opens a service whose operator allows the set-up to use addresses on this machine, where the sandboxes run. */
export const openLocal = (options: HttpWorldOptions = {}) => open({ ...LOCAL, ...options });

type Fields = Readonly<Record<string, string | readonly string[]>>;

/** Sends one of our forms. */
export async function post(here: HttpWorld, path: string, fields: Fields = {}) {
  const body = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) {
    for (const one of [value].flat()) body.append(name, one);
  }
  const response = await fetch(here.url + path, {
    ...{ method: 'POST', redirect: 'manual', body, headers: { origin: here.url } },
  });
  const text = await response.text();
  return {
    status: response.status,
    location: response.headers.get('location'),
    text,
    headers: response.headers,
  };
}

export async function upload(
  here: HttpWorld,
  id: string,
  content: string | Uint8Array<ArrayBuffer>,
  fields: Readonly<Record<string, string>> = {},
) {
  const body = new FormData();
  for (const [name, value] of Object.entries(fields)) body.set(name, value);
  body.set('file', new File([content], 'donors.csv'));
  const response = await fetch(`${here.url}/setup/${id}/file`, {
    ...{ method: 'POST', redirect: 'manual', body, headers: { origin: here.url } },
  });
  return {
    status: response.status,
    location: response.headers.get('location'),
    text: await response.text(),
  };
}

/** Sends the first part of a file for a preview, as the page does. */
export async function preview(here: HttpWorld, id: string, beginning: string) {
  const response = await fetch(`${here.url}/setup/${id}/preview`, {
    ...{ method: 'POST', redirect: 'manual', body: new Blob([beginning]) },
    headers: { origin: here.url },
  });
  return {
    status: response.status,
    cache: response.headers.get('cache-control'),
    text: await response.text(),
  };
}

export async function begin(here: HttpWorld, name = 'Lakeside Clinic'): Promise<string> {
  const { location } = await post(here, '/setup', { name });
  return /^\/setup\/([^/]+)\/crm$/.exec(location ?? '')?.[1] ?? '';
}

/** Starts a set-up and enters the service key, as users do before they choose columns. */
export async function beginWithKey(here: HttpWorld, name?: string): Promise<string> {
  const id = await begin(here, name);
  const { baseUrl, apiKey } = here.service;
  await post(here, `/setup/${id}/key`, { baseUrl, apiKey });
  return id;
}

export const PEOPLE = 'Donor ID,First Name,Last Name,Role\n1,Ada,Vale,Board\n2,Ben,Hill,Donor\n';
export const COLUMNS = {
  id: 'Donor ID',
  names: 'two',
  firstName: 'First Name',
  lastName: 'Last Name',
};

/** Starts a set-up with a file and a key. Returns its path at the next step. */
export async function withFile(here: HttpWorld, text = PEOPLE): Promise<string> {
  const id = await begin(here);
  await upload(here, id, text);
  const { baseUrl, apiKey } = here.service;
  await post(here, `/setup/${id}/key`, { baseUrl, apiKey });
  return id;
}

/** Returns CSV rows of people whom the service knows. */
export async function knownPeople({ service }: HttpWorld, count: number): Promise<string> {
  const people = await controlService(service).people(4 * count);
  const whole = people.filter(({ firstName, lastName }) => firstName && lastName);
  // Keeps one contact per last name. If two contacts were the same person, the product would pay for only one of them.
  const distinct = new Map(whole.map((person) => [person.lastName?.toLowerCase(), person]));
  const rows = [...distinct.values()]
    .slice(0, count)
    .map(({ firstName, lastName, addresses }, index) =>
      [index + 1, firstName, lastName, JSON.stringify(addresses[0] ?? '')].join(','),
    );
  return ['Donor ID,First Name,Last Name,Address', ...rows, ''].join('\n');
}

/** Starts a set-up, then answers and saves every step before the plan. */
export async function answeredAll(here: HttpWorld, count = 40): Promise<string> {
  const id = await withFile(here, await knownPeople(here, count));
  await post(here, `/setup/${id}/people`, { ...COLUMNS, addresses: 'Address' });
  await post(here, `/setup/${id}/fields`, { 'to.age': 'Age', 'to.netWorth.label': 'Net Worth' });
  await post(here, `/setup/${id}/networks`);
  await post(here, `/setup/${id}/schedule`, {
    ...{ rhythm: 'weekly', hour: '3', timezone: 'America/Chicago', perMonth: '900' },
  });
  return id;
}

export async function settled(here: HttpWorld, id: string): Promise<string> {
  const setup = await findSetup(here.application, id);
  await here.untilEnded(setup?.trialRun ?? '');
  return setup?.trialRun ?? '';
}

/** Sets up a client completely. */
export async function done(here: HttpWorld): Promise<string> {
  const id = await answeredAll(here);
  await post(here, `/setup/${id}/plan`, { do: 'trial' });
  await settled(here, id);
  await post(here, `/setup/${id}/plan`, { do: 'finish' });
  return id;
}

export const spentBy = ({ service }: HttpWorld) => controlService(service).spent();

export async function storedSettings({ application: { store, sealer } }: HttpWorld, id: string) {
  const rows = await listSealedSettings(store.reader);
  const row = rows.find((one) => one.id === id);
  return row ? JSON.parse(sealer.open(row.settings, settingsSealContext(id))) : null;
}
