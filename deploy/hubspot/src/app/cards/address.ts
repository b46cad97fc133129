/** The address of donor-sync. `donor-sync hubspot app` writes the address of the installation here. */
export const ADDRESS = 'https://sync.example.org';
