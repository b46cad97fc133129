import type { Account } from '../../../core/second-person.ts';
import type { Requester } from '../../../decisions/second-person/second-user.ts';
import type { ProductDeps } from './product.ts';

export function getRequester({ user, owner }: Pick<ProductDeps, 'user' | 'owner'>): Requester {
  const account: Account | null = user === null ? null : { kind: 'command', id: user, name: user };
  return { account, actor: { kind: 'command', name: user, from: owner.host } };
}
