/** The type of an organisation that connects two donors (service document, section 2.2). */
export type EntityType = 'nonprofit' | 'company' | 'school';
