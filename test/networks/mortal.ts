import type { SyncDeps } from '../../src/sync/control/context.ts';

/** The moment when a process dies: at which call, and whether before or after the call has done its work. */
export interface Death {
  atCall: number;
  moment: 'before' | 'after';
}

/**
 * Returns the dependencies of a process that dies while it mirrors a group. After that call, the process sends
 * nothing further to the store or the service.
 */
export function mortal(deps: SyncDeps, { atCall, moment }: Death): SyncDeps {
  let calls = 0;
  let isDead = false;

  function watch<Part extends object>(part: Part): Part {
    return new Proxy(part, {
      get(target, name, receiver) {
        const method: unknown = Reflect.get(target, name, receiver);
        if (typeof method !== 'function') return method;
        return async (...args: unknown[]) => {
          calls += 1;
          const isTheEnd = calls === atCall;
          if (isTheEnd && moment === 'before') isDead = true;
          if (isDead) throw new Error('killed');
          const result: unknown = await Reflect.apply(method, target, args);
          if (isTheEnd) isDead = true;
          if (isDead) throw new Error('killed');
          return result;
        };
      },
    });
  }

  return {
    ...deps,
    partner: {
      ...deps.partner,
      networks: watch(deps.partner.networks),
      connections: watch(deps.partner.connections),
    },
    store: {
      ...deps.store,
      // Writes to the mirror count as calls.
      ...watch({ checkpoint: deps.store.checkpoint }),
    },
  };
}
