/** The operation kit in a world with users, for operations that only exist in tests. */
import type { Caller } from '../../src/operations/kit/caller.ts';
import type { Operation } from '../../src/operations/kit/operation.ts';
import type { OperationDeps } from '../../src/operations/kit/perform.ts';
import { hashToken } from '../../src/people/access-token.ts';
import { acceptInvitation } from '../../src/people/statements/people.ts';
import { checkAudit } from '../../src/privacy/audit/checker.ts';
import type { HttpWorld } from '../interfaces/api/http-world.ts';
import { invite } from '../interfaces/api/people-world.ts';

/** The dependencies that interfaces pass to operations. The listed operations can be found by name. */
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

/** A user of this name, signed in, who reaches all clients. */
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

/** A user of the machine. */
export const MACHINE: Caller = {
  kind: 'machine',
  role: null,
  clients: null,
  account: { kind: 'command', id: 'anna', name: 'anna' },
  actor: { kind: 'command', name: 'anna', from: 'desk' },
};
