/** What joins two donors (service document, section 2.2). */
export type EntityType = 'nonprofit' | 'company' | 'school';
