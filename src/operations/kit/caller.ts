/** Who asks for an operation, and what that caller may do. */
import type { Actor } from '../../core/actor.ts';
import type { Role } from '../../core/role.ts';
import type { Account } from '../../core/second-person.ts';

export interface Caller {
  /**
   * `machine`: a user of the machine, at the terminal, who needs no role. `person`: a signed-in user, or the first
   * visitor before there is any. `token`: an access token, also that of a browser that signed in with one.
   */
  kind: 'machine' | 'person' | 'token';
  /** Null at the terminal. */
  role: Role | null;
  /** The IDs of the clients within reach; null for all. */
  clients: ReadonlySet<string> | null;
  /** What tells this caller from a second person; null for one who has no account. */
  account: Account | null;
  actor: Actor;
}
