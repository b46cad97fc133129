/** The account of one of the three simulated users. */
export interface Account {
  name: string;
  email: string;
  password: string;
}

export const ROBIN: Account = {
  ...{ name: 'Robin Avery', email: 'robin@example.org', password: 'copper lantern vivid otter' },
};
export const FARAH: Account = {
  ...{ name: 'Farah Lindqvist', email: 'farah@example.org' },
  password: 'maple hinge quiet orbit',
};
export const DANA: Account = {
  ...{ name: 'Dana Whitcombe', email: 'dana@example.org' },
  password: 'velvet anchor brisk tundra',
};
