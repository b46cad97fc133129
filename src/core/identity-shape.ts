export interface IdentityShape {
  /** A different string means that the mapping has changed. The filter and the field map do not affect it. */
  columns: string;
  /** The CRM's data model, for example `plain` or `npsp`. The value is part of the mapping. */
  mode: string;
  /** The CRM's fields for first and last names. Omitted if the connector does not report them. */
  names?: readonly string[];
  /** The sources of addresses and employers, including unreadable sources. */
  sources: readonly IdentitySource[];
}

export interface IdentitySource {
  /** The CRM's name, such as `MailingStreet`. `Contact.unreadable` uses the same name. */
  name: string;
  part: 'addresses' | 'employers';
  /** False if the integration's user lacks access to the field. */
  readable: boolean;
}
