/** Whether a job has used up the time of its message, and has to go on with another one. */
export type TimeLimit = () => boolean;
