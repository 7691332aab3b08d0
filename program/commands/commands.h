// program/commands/commands.h: the commands of the program, and what they have in common.
//
// A command gets the arguments after its name and returns the exit code. Everything that goes wrong is one line on
// stderr that names the file and what is wrong.
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H

#define CLI_DONE 0
#define CLI_BAD_INPUT 1
#define CLI_BAD_USAGE 2
#define CLI_CONTACT 3
#define CLI_INTERRUPTED 130

typedef int cliCommandFcn(int argumentCount, char** arguments);

cliCommandFcn cliDemo;
cliCommandFcn cliBatch;
cliCommandFcn cliBench;
cliCommandFcn cliCheck;
cliCommandFcn cliInfo;
cliCommandFcn cliModes;
cliCommandFcn cliPack;
cliCommandFcn cliPose;
cliCommandFcn cliProve;
cliCommandFcn cliReduce;
cliCommandFcn cliPlay;
cliCommandFcn cliTruth;
cliCommandFcn cliView;

#endif
