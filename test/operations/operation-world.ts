/** Runs operations that exist only in tests, in a service with users. */
import type { Caller } from '../../src/operations/kit/caller.ts';
import type { Operation } from '../../src/operations/kit/operation.ts';
import type { OperationDeps } from '../../src/operations/kit/perform.ts';
import { hashToken } from '../../src/people/access-token.ts';
import { acceptInvitation } from '../../src/people/statements/people.ts';
import { checkAudit } from '../../src/privacy/audit/checker.ts';
import type { HttpWorld } from '../interfaces/api/http-world.ts';
import { invite } from '../interfaces/api/people-world.ts';

/** Returns the dependencies that interfaces pass to operations, which can find the given operations by name. */
export function toDeps(
  { application, runner, clock, url }: HttpWorld,
  operations: readonly Operation[] = [],
): OperationDeps {
  return {
    ...{ application, clock, publicUrl: url, signal: () => AbortSignal.timeout(10_000) },
    requestRun: runner.request,
    checkAlerts: async () => {},
    checkAudit: (known) => checkAudit({ clock }, application, known),
    findOperation: async (wanted) => operations.find(({ name }) => name === wanted),
  };
}

/** Returns a signed-in user with this name, who has access to all clients. */
export async function signedInAs(
  world: HttpWorld,
  name: string,
  role: 'decider' | 'admin' | 'owner',
): Promise<Caller> {
  const { id, path } = await invite(world, name, role);
  const link = hashToken(path.slice('/join/'.length));
  await world.application.store.act((trx) => acceptInvitation(trx, link, 'no password'));
  return {
    kind: 'person',
    role,
    clients: null,
    account: { kind: 'person', id, name },
    actor: { kind: 'session', name, from: '192.0.2.1' },
  };
}

/** A caller who uses the command line on the machine itself. */
export const MACHINE: Caller = {
  kind: 'machine',
  role: null,
  clients: null,
  account: { kind: 'command', id: 'anna', name: 'anna' },
  actor: { kind: 'command', name: 'anna', from: 'desk' },
};
