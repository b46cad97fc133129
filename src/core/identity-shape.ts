/** How contacts are turned into people under the current settings and permissions. */
export interface IdentityShape {
  /**
   * The settings that say which columns make up the identity, as one text; a different text is a
   * different mapping. Neither the filter nor the field map is part of it.
   */
  columns: string;
  /** The data model that was found, for example `plain` or `npsp`; part of the mapping. */
  mode: string;
  /**
   * The CRM's own names of the fields with first and last names; omitted if the connector does not
   * say.
   */
  names?: readonly string[];
  /** Sources of addresses and employers; unreadable ones are listed as well. */
  sources: readonly IdentitySource[];
}

/** One field of the CRM that is a part of the identity. */
export interface IdentitySource {
  /** The CRM's own name, for example `MailingStreet`; `Contact.unreadable` uses the same. */
  name: string;
  part: 'addresses' | 'employers';
  /** False if the integration's user may not read it (missing field access, missing scope). */
  readable: boolean;
}
