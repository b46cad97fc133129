/** Helpers that invite users to a service over HTTP and sign them in. */
import { expect } from 'vitest';
import type { Role } from '../../../src/core/role.ts';
import { propose } from '../../../src/people/server-address.ts';
import { confirmAddress, listAddresses } from '../../../src/people/statements/addresses.ts';
import { invitePerson } from '../../../src/people/user-accounts.ts';
import type { HttpWorld } from './http-world.ts';

export const PASSWORD = 'three blue herons';
export const SESSION = /(?:__Host-)?donor_sync_session=([\w-]{43})/;

export async function send(
  { url }: HttpWorld,
  path: string,
  form: Record<string, string>,
  headers: Record<string, string> = {},
) {
  const response = await fetch(url + path, {
    ...{ method: 'POST', redirect: 'manual', body: new URLSearchParams(form) },
    headers: { origin: url, ...headers },
  });
  const cookie = SESSION.exec(response.headers.get('set-cookie') ?? '')?.[0] ?? null;
  return {
    status: response.status,
    location: response.headers.get('location'),
    text: await response.text(),
    cookie,
  };
}

export function get({ url }: HttpWorld, path: string, cookie: string) {
  return fetch(url + path, { headers: { cookie }, redirect: 'manual' });
}

export async function invite(
  world: HttpWorld,
  name: string,
  role: Role,
  integrations: readonly string[] | null = null,
) {
  const { store, sealer } = world.application;
  const email = `${name.toLowerCase()}@example.org`;
  const person = { name, email, role, integrations };
  const { id, secret } = await store.act((trx) => invitePerson(trx, sealer, person));
  return { id, email, path: `/join/${secret}` };
}

/** Sets an address at which users reach the service, and confirms it with a second browser. */
export async function giveAddress({ application }: HttpWorld, url = 'https://donors.example.org') {
  const { store, sealer } = application;
  await store.act(async (trx) => {
    await propose(trx, sealer, { url, browser: null, proposedBy: null });
    const [proposed] = await listAddresses(trx);
    expect(await confirmAddress(trx, proposed?.id ?? '')).toBe(true);
  });
}

export async function join(
  world: HttpWorld,
  name: string,
  role: Role,
  reach: readonly string[] | null = null,
) {
  const invited = await invite(world, name, role, reach);
  const joined = await send(world, invited.path, { fresh: PASSWORD });
  expect(joined).toMatchObject({ status: 303, location: '/' });
  return { ...invited, cookie: joined.cookie ?? '' };
}

export const signIn = (world: HttpWorld, email: string, password = PASSWORD, headers = {}) =>
  send(world, '/sign-in', { email, password, to: '/account' }, headers);
