/** Whether `npm run test:soak` is running, which loads and breaks more than `npm test`. */
export const isSoak = process.env.SOAK === "yes";

/** How often a test does something, usually and in the soak. */
export const times = (usual: number, inSoak: number): number => (isSoak ? inSoak : usual);
