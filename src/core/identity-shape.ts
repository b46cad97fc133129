export interface IdentityShape {
  /**
   * A text that identifies the columns of the mapping. The text does not depend on the filter or the field map. If the
   * text changes, the mapping has changed.
   */
  columns: string;
  /** The CRM's data model, for example `plain` or `npsp`. The value is part of the mapping. */
  mode: string;
  /** The CRM's fields for first and last names. Omitted if the connector does not report them. */
  names?: readonly string[];
  /** The fields for addresses and employers, including unreadable fields. */
  sources: readonly IdentitySource[];
}

export interface IdentitySource {
  /** The CRM's name of the field, such as `MailingStreet`. `Contact.unreadable` uses the same name. */
  name: string;
  part: 'addresses' | 'employers';
  /** False if the CRM user of the integration has no access to the field. */
  readable: boolean;
}
