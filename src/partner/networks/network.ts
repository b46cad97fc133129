import { z } from 'zod';
import { idSchema, withIdAs } from '../wire.ts';

/** A network of the team (service document, section 2.1). */
export interface Network extends NetworkReference {
  name: string;
  color: string | null;
  /** Null where the service does not say. */
  memberCount: number | null;
}

/** A network as a connection mentions it. */
export interface NetworkReference {
  networkId: string;
  /** Null where the service sends the id alone. */
  name: string | null;
}

/** A network record; its form is not documented, so that the id may be called either way. */
export const networkSchema = withNetworkId(
  z.object({
    network_id: idSchema,
    name: z.string(),
    color: z.string().nullish().catch(null),
    member_count: z.int().nonnegative().nullish().catch(null),
  }),
).transform(
  (wire): Network => ({
    networkId: wire.network_id,
    name: wire.name,
    color: wire.color ?? null,
    memberCount: wire.member_count ?? null,
  }),
);

/** A network that is only mentioned: an object or a bare id. */
export const networkReferenceSchema = withNetworkId(
  z.object({ network_id: idSchema, name: z.string().nullish() }),
).transform((wire): NetworkReference => ({ networkId: wire.network_id, name: wire.name ?? null }));

function withNetworkId<Thing extends z.ZodType>(thing: Thing) {
  return withIdAs('network_id', 'id', thing);
}
