/** Where a query looks, and for what (service document, section 4.2). */
export interface Filters {
  /** Only these networks; all of the team's networks unless told. */
  networkIds?: readonly string[];
  /** Only these members of them; all members unless told. */
  inNetworkDonorIds?: readonly string[];
}

/** Filters as fields of a body. */
export function filterFields(filters: Filters) {
  refuseEmpty(filters);
  return {
    network_ids: filters.networkIds,
    in_network_donor_ids: filters.inNetworkDonorIds,
  };
}

/** Filters as query parameters, repeated for each value. */
export function filterQuery(filters: Filters): URLSearchParams {
  refuseEmpty(filters);
  const query = new URLSearchParams();
  for (const id of filters.networkIds ?? []) query.append('network_ids', id);
  for (const id of filters.inNetworkDonorIds ?? []) query.append('in_network_donor_ids', id);
  return query;
}

/** Some services would take an empty list for nobody, others for everybody. */
function refuseEmpty({ networkIds, inNetworkDonorIds }: Filters): void {
  if (networkIds?.length !== 0 && inNetworkDonorIds?.length !== 0) return;
  throw new RangeError('A filter names at least one id; one that is left out restricts nothing');
}
