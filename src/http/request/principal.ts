import type { AccessTokenRecord } from '../../store/service/access.ts';

/** A viewer reads; an admin also starts runs and decides. */
export type Role = AccessTokenRecord['role'];

/** Who asks. */
export interface Principal {
  /** `local`: the first visitor on this machine, while there is no access token at all. */
  kind: 'token' | 'session' | 'local';
  role: Role;
  /** What the owner calls the token; null for `local`. */
  name: string | null;
}
